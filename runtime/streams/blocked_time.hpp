#pragma once

#include "runtime/threads/locks.hpp"

namespace weir::detail {

// How long a full stream kept writers waiting: the time during which at least one waited. Times are seconds since the
// start of the run. Thread-safe.
class blocked_time {
 public:
  void begin(double now) {
    const lock_guard lock(mutex_);
    if (writers_++ == 0) since_ = now;
  }
  void end(double now) {
    const lock_guard lock(mutex_);
    if (--writers_ == 0 && now > since_) seconds_ += now - since_;
  }
  int writers() const {  // that wait now
    const lock_guard lock(mutex_);
    return writers_;
  }
  double seconds(double now) const {
    const lock_guard lock(mutex_);
    return seconds_ + (writers_ > 0 && now > since_ ? now - since_ : 0);
  }

 private:
  mutable WEIR_LOCK(blocked) mutex_;
  int writers_ WEIR_GUARDED_BY(mutex_) = 0;  // that wait now
  double since_ WEIR_GUARDED_BY(mutex_) = 0, seconds_ WEIR_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::detail
