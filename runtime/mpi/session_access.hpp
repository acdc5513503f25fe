#pragma once

#include <memory>

#include "runtime/remote/transport.hpp"

namespace weir::detail::mpi {

// The transport of the session that there is. Throws std::logic_error: there is none.
std::shared_ptr<remote::transport> transport_of_session();

}  // namespace weir::detail::mpi
