#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "runtime/threads/locks.hpp"

#include "scheduler/machine/core_set.hpp"

namespace weir::detail {

class platform;
class worker_clocks;
struct core_lease;

// A oneTBB arena over a lane's cores. The lane's own thread, on one of them, enters by run() and takes the one reserved
// slot; oneTBB's workers fill the others and are bound to their core as they enter, unbound as they leave.
class pinned_arena {
 public:
  virtual ~pinned_arena() = default;

  // Runs the work inside the arena. REQUIRES: the calling thread is bound to the lane's cores; one caller at a time.
  virtual void run(const std::function<void()>& work) = 0;

  // What the workers have computed in here. Null where there are none to come: in an arena of one core.
  virtual worker_clocks* clocks() = 0;
};

// The arenas of one machine, kept for reuse by lease: its cores, and which is the lane's own thread's. Thread-safe.
//
// A thread that blocks inside an invocation releases its lease to another but stays in its arena, on the stack; the
// next thread there borrows another arena. So there are as many for one lease as were ever needed at once.
class arena_cache {
 public:
  arena_cache(platform& p, std::atomic<bool>& refused) : platform_(p), refused_(refused) {}

  // Null on a synthetic machine: its cores are not there to be filled with workers.
  std::unique_ptr<pinned_arena> borrow(const core_lease& s);
  void give_back(const core_lease& s, std::unique_ptr<pinned_arena> arena) noexcept;

 private:
  platform& platform_;
  std::atomic<bool>& refused_;  // set when the system did not let a worker be bound
  WEIR_LOCK(arenas) mutex_;
  std::map<core_set, std::map<int, std::vector<std::unique_ptr<pinned_arena>>>> idle_;  // and by the own core
};

// Holds oneTBB's process-wide worker limit at `workers` beside the threads that enter arenas. Released at destruction.
class worker_limit {
 public:
  explicit worker_limit(int workers);
  ~worker_limit();

 private:
  struct control;
  std::unique_ptr<control> control_;
};

}  // namespace weir::detail
