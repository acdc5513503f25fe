#pragma once

#include <optional>
#include <stop_token>

#include "runtime/process/descriptor.hpp"

namespace weir::detail::processes {

// A descriptor that becomes readable when a stop is requested: it wakes a thread from poll. The descriptor is -1, which
// poll passes over, where no stop can be requested.
class wake {
 public:
  explicit wake(const std::stop_token& stop);  // throws std::system_error
  int get() const { return event_.get(); }

 private:
  struct set {
    int event;
    void operator()() const noexcept;
  };
  descriptor event_;
  std::optional<std::stop_callback<set>> callback_;
};

}  // namespace weir::detail::processes
