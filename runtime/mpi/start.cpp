#include <weir/mpi/start.hpp>

#include <utility>

#include "runtime/mpi/session_access.hpp"
#include "runtime/run/start_on.hpp"

namespace weir::mpi {

started start(const network& net, options o) {
  detail::started s = detail::start_on(detail::mpi::transport_of_session(), net, std::move(o));
  return {std::move(s.run), std::move(s.report)};
}

}  // namespace weir::mpi
