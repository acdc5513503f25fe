#pragma once

#include <atomic>

#include "runtime/threads/locks.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

// Lets so many in at once; others wait. What a std::counting_semaphore is, but passing without waiting makes no system
// call, whichever library it comes from. Thread-safe.
class concurrency_limit {
 public:
  explicit concurrency_limit(int width) : free_(width) {}

  // False: it was cancelled while there was no place. Who cancels calls wake().
  bool enter(const std::atomic<bool>* cancelled = nullptr) {
    if (try_enter()) return true;
    const off_cores meanwhile;  // who is inside may wait for a run that needs these cores
    unique_lock lock(mutex_);
    // Who waits says so and then looks for a place again; who leaves makes place and then looks for those who wait.
    // Both are sequentially consistent, so one of the two sees the other.
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    bool is_in = false;
    left_.wait(lock, [&] { return (is_in = try_enter()) || (cancelled && cancelled->load()); });
    waiting_.fetch_sub(1, std::memory_order_relaxed);  // who still sees it looks once too often
    return is_in;
  }
  void wake() {
    const lock_guard lock(mutex_);
    left_.notify_all();
  }

  void leave() {
    free_.fetch_add(1, std::memory_order_seq_cst);
    if (waiting_.load(std::memory_order_seq_cst) == 0) return;
    const lock_guard lock(mutex_);
    left_.notify_one();
  }

  // Inside for as long as this exists. Null: nothing to enter.
  class permit {
   public:
    explicit permit(concurrency_limit* of, const std::atomic<bool>* cancelled = nullptr)
        : of_(of && of->enter(cancelled) ? of : nullptr) {}
    bool is_inside() const { return of_; }
    ~permit() {
      if (of_) of_->leave();
    }
    permit(const permit&) = delete;

   private:
    concurrency_limit* const of_;
  };

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
  WEIR_LOCK(permits) mutex_;
  condition left_;
};

}  // namespace weir::detail
