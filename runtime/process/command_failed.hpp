#pragma once

#include <stdexcept>

namespace weir::detail::processes {

// A process ended otherwise than it should; another try may go well.
class command_failed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace weir::detail::processes
