#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace weir::testing {

// Holds every thread that passes until it is opened, and counts the arrivals. Thread-safe. If it is not opened in time,
// it opens itself, so that a failing test ends.
class gate {
 public:
  bool pass() {  // false: it opened itself
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  // Waits for `count` arrivals; false if they did not come.
  bool wait_for_arrivals(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return arrived_ >= count; });
  }
  int arrived() const {
    const std::lock_guard lock(mutex_);
    return arrived_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int arrived_ = 0;
};

}  // namespace weir::testing
