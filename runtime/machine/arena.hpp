#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "runtime/threads/locks.hpp"
#include "runtime/threads/primitives.hpp"
#include "scheduler/machine/core_set.hpp"

namespace weir::detail {

class foreign_load;
class platform;
class worker_clocks;
struct core_lease;

// A oneTBB arena over a lane's cores. The lane's own thread, on one of the cores, enters by run() and takes the one
// reserved slot. The workers of oneTBB fill the other slots: each is bound to its core when it enters and unbound when
// it leaves.
class pinned_arena {
 public:
  virtual ~pinned_arena() = default;

  // Runs the work inside the arena. REQUIRES: the calling thread is bound to the lane's cores; one caller at a time.
  virtual void run(const std::function<void()>& work) = 0;

  // The CPU clocks of the arena's workers. Null in an arena of one core, which workers never enter.
  virtual worker_clocks* clocks() = 0;
};

// The arenas of one machine, kept for reuse. They are keyed by the cores of a lease and by the core of the lane's own
// thread. Thread-safe.
//
// A thread that blocks inside an invocation releases its lease to another thread but stays in its arena, on its stack.
// The next thread on that lease borrows another arena. So a lease has as many arenas as were ever needed at the same
// time.
class arena_cache {
 public:
  arena_cache(platform& p, threads::atomic<bool>& refused, const foreign_load& others)
      : platform_(p), refused_(refused), others_(others) {}

  // Null on a synthetic machine: it has no real cores for workers to fill.
  std::unique_ptr<pinned_arena> borrow(const core_lease& s);
  void give_back(const core_lease& s, std::unique_ptr<pinned_arena> arena) noexcept;

 private:
  platform& platform_;
  threads::atomic<bool>& refused_;  // set when the system did not let a worker be bound
  const foreign_load& others_;
  WEIR_LOCK(arenas) mutex_;
  std::map<core_set, std::map<int, std::vector<std::unique_ptr<pinned_arena>>>> idle_;  // by cores and own core
};

// Sets oneTBB's process-wide limit, max_allowed_parallelism, to `workers` while it exists.
class worker_limit {
 public:
  explicit worker_limit(int workers);
  ~worker_limit();

 private:
  struct control;
  std::unique_ptr<control> control_;
};

}  // namespace weir::detail
