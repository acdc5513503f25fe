#include "runtime/process/refusal.hpp"

#include <cerrno>
#include <system_error>

namespace weir::detail::processes {

void refuse(int reason, std::string what) {
  if (reason == EAGAIN) what += ": as many processes exist as `ulimit -u` or the control group allows";
  if (reason == EMFILE || reason == ENFILE) what += ": as many files are open as `ulimit -n` or the system allows";
  throw std::system_error(reason, std::generic_category(), what);
}

}  // namespace weir::detail::processes
