#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/engine/worker.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

class group;
class platform;
class run_life;
class run_owner;

// The threads of a run, and what each carries with it. Thread-safe.
class worker_pool {
 public:
  worker_pool(platform& outside, const run_life& life, run_owner& run) : outside_(outside), life_(life), run_(run) {}

  // Starts a thread that does this, as the worker that it is given, and is to be on this core first if it is free; -1:
  // on any. False when the system gives none, which is noted.
  bool start(int core, void (*job)(group& home, worker& me), group& home) noexcept;

  // That of a caller's thread: on machines without threads, or of a sender who runs what he sent.
  worker& caller() { return caller_; }

  // While this exists and is_in(), the calling thread is that caller; others are not let in meanwhile.
  class visit {
   public:
    explicit visit(worker_pool& in)
        : visited_(in.visited_), is_in_(!in.visited_.exchange(true, std::memory_order_acquire)) {}
    ~visit();
    visit(const visit&) = delete;
    bool is_in() const { return is_in_; }

   private:
    std::atomic<bool>& visited_;
    const bool is_in_;
  };

  template <class See>
  void each(See see) {
    const lock_guard lock(mutex_);
    for (auto& w : workers_) see(*w);
    see(caller_);
  }

  // Waits for the end of all threads and visits. REQUIRES: the run is stopping and all that sleep were woken.
  void join() noexcept;

 private:
  platform& outside_;
  const run_life& life_;
  run_owner& run_;
  WEIR_LOCK(workers) mutex_;
  std::vector<std::unique_ptr<worker>> workers_ WEIR_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ WEIR_GUARDED_BY(mutex_);
  std::atomic<bool> may_end_{false};  // those threads, where the process ends
  worker caller_;
  std::atomic<bool> visited_{false};  // notified when a visit ends
};

}  // namespace weir::detail
