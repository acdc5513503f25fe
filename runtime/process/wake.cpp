#include "runtime/process/wake.hpp"

#include <sys/eventfd.h>

#include <cerrno>

#include "runtime/process/refusal.hpp"

namespace weir::detail::processes {

wake::wake(const std::stop_token& stop) {
  if (!stop.stop_possible()) return;
  event_ = descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event_) refuse(errno, "no descriptor to wait for a stop");
  callback_.emplace(stop, set{event_.get()});
}

void wake::set::operator()() const noexcept { eventfd_write(event, 1); }

}  // namespace weir::detail::processes
