#pragma once

#include <weir/threads/primitives.hpp>
#include "runtime/threads/locks.hpp"

namespace weir::detail::mpi {

// A flag that ends a polling thread, which sleeps on it between two polls. Any thread may set it.
class end_flag {
 public:
  void set() {
    const lock_guard lock(mutex_);
    is_set_ = true;
    changed_.notify_all();
  }
  // Returns whether it is set, after `at_most`.
  template <class Duration>
  bool wait_for(Duration at_most) {
    unique_lock lock(mutex_);
    if (!is_set_) changed_.wait_until(lock, threads::clock::now() + at_most);
    return is_set_;
  }

 private:
  WEIR_LOCK(communicator) mutex_;
  condition changed_;
  bool is_set_ WEIR_GUARDED_BY(mutex_) = false;
};

}  // namespace weir::detail::mpi
