#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace weir::detail {

// Lets so many in at once; others wait. What a std::counting_semaphore is, but passing without waiting makes no system
// call, whichever library it comes from. Thread-safe.
class turnstile {
 public:
  explicit turnstile(int width) : free_(width) {}

  void enter() {
    if (try_enter()) return;
    std::unique_lock lock(mutex_);
    // Who waits says so and then looks for a place again; who leaves makes place and then looks for those who wait.
    // Both are sequentially consistent, so one of the two sees the other.
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    left_.wait(lock, [&] { return try_enter(); });
    waiting_.fetch_sub(1, std::memory_order_relaxed);  // who still sees it looks once too often
  }

  void leave() {
    free_.fetch_add(1, std::memory_order_seq_cst);
    if (waiting_.load(std::memory_order_seq_cst) == 0) return;
    const std::lock_guard lock(mutex_);
    left_.notify_one();
  }

 private:
  bool try_enter() {
    int free = free_.load(std::memory_order_seq_cst);
    while (free > 0)
      // acquire and release: what was done inside is seen by whoever comes next.
      if (free_.compare_exchange_weak(free, free - 1, std::memory_order_acq_rel, std::memory_order_relaxed))
        return true;
    return false;
  }

  std::atomic<int> free_;
  std::atomic<int> waiting_{0};
  std::mutex mutex_;
  std::condition_variable left_;
};

}  // namespace weir::detail
