#pragma once

#include <weir/threads/primitives.hpp>
#include "runtime/threads/locks.hpp"
#include "runtime/threads/short_wait.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

// A counting semaphore: at most `width` permits are held at the same time; others wait. Unlike std::counting_semaphore,
// it makes no system call to acquire a free permit, whichever standard library is used. Thread-safe.
class concurrency_limit {
 public:
  explicit concurrency_limit(int width) : free_(width) {}

  // Acquires a permit, waiting for one if none is free. False: it was cancelled while it waited. A thread that sets
  // `cancelled` calls wake() afterwards.
  bool enter(const threads::atomic<bool>* cancelled = nullptr) {
    for (short_wait wait(waits_);;) {  // the holder of one may be through with a short box
      if (try_enter()) {
        wait.arrived();
        return true;
      }
      if (!wait.goes_on()) break;
    }
    const off_cores meanwhile;  // the holder of a permit may wait for a run that needs these cores
    unique_lock lock(mutex_);
    // A waiter announces itself in waiting_ and then looks for a permit again; leave() frees a permit and then reads
    // waiting_. Both are sequentially consistent, so one of the two sees the other.
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    bool is_in = false;
    left_.wait(lock, [&] { return (is_in = try_enter()) || (cancelled && cancelled->load()); });
    waiting_.fetch_sub(1, std::memory_order_relaxed);  // a leave() that still sees it notifies once too often
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

  // Holds a permit while it exists. Null: there is no limit, and none is held.
  class permit {
   public:
    explicit permit(concurrency_limit* of, const threads::atomic<bool>* cancelled = nullptr)
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
      // acq_rel: what was done under a permit is visible to its next holder.
      if (free_.compare_exchange_weak(free, free - 1, std::memory_order_acq_rel, std::memory_order_relaxed))
        return true;
    return false;
  }

  threads::atomic<int> free_;
  threads::atomic<int> waiting_{0};
  short_waits waits_;
  WEIR_LOCK(permits) mutex_;
  condition left_;
};

}  // namespace weir::detail
