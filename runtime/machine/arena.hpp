#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>

#include <weir/scheduler/machine/core_set.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/threads/locks.hpp"

namespace weir::detail {

class float_state;
class foreign_load;
class platform;
class worker_clocks;
struct core_lease;

// A oneTBB arena over a lane's cores. The lane's own thread, on one of the cores, enters by run() and takes the one
// reserved slot. The workers of oneTBB fill the other slots: each is bound to its core when it enters and unbound when
// it leaves. An arena of one core has no other slots. One worker enters such an arena for enqueued tasks, and is bound
// to that core.
//
// An invocation may leave work to oneTBB: tasks of a group that it does not wait for. In an arena of several cores the
// workers run these tasks. In an arena of one core the lane's own thread does, before run() returns and in
// run_leftovers(). When the arena is destroyed, none is left.
class pinned_arena {
 public:
  virtual ~pinned_arena() = default;

  // Runs the work inside the arena. REQUIRES: the calling thread is bound to the lane's cores; one caller at a time.
  virtual void run(const std::function<void()>& work) = 0;

  // Runs what invocations have left to oneTBB. It costs 70 ns where there is nothing, and 1.1 us more `inside_call`:
  // with user's code on the stack, between it and run(). That code may be in a task of oneTBB, whose loop would run
  // tasks of its own here, in another arena, or isolated by this_task_arena::isolate(): then it does nothing. REQUIRES:
  // the calling thread is inside run().
  virtual void run_leftovers(bool inside_call) noexcept = 0;

  // The lane's own thread, which is inside run(), is on this core from now on. REQUIRES: an arena of one core.
  virtual void move_to(int core) = 0;

  // The CPU clocks of the arena's workers. Null in an arena of one core.
  virtual worker_clocks* clocks() = 0;

  // The floating-point state in its tasks: that of the thread that made it.
  virtual const float_state& floats() const = 0;
};

// The arenas of one machine, kept for reuse while it has runs. An arena is for the cores of a lease and for the core of
// the lane's own thread. To make one takes 200 us of an invocation on two cores. Leases come and go, so a bounded
// number is kept for each of these threads' cores, the last that were given back. Thread-safe.
//
// A thread that blocks inside an invocation releases its lease to another thread but stays in its arena, on its stack,
// also where it goes on with another lease. The next thread on the released lease borrows another arena. So a lease may
// have several arenas.
class arena_cache {
 public:
  arena_cache(platform& p, threads::atomic<bool>& refused, const foreign_load& others)
      : platform_(p), refused_(refused), others_(others) {}

  // An arena whose tasks see the calling thread's floating-point state. Null on a synthetic machine: it has no real
  // cores for workers to fill.
  std::unique_ptr<pinned_arena> borrow(const core_lease& s);
  void give_back(const core_lease& s, std::unique_ptr<pinned_arena> arena) noexcept;

  // Destroys all that are kept, once what was left to them has run. REQUIRES: none is borrowed.
  void clear() noexcept;

 private:
  platform& platform_;
  threads::atomic<bool>& refused_;  // set when the system did not let a worker be bound
  const foreign_load& others_;
  struct idle {
    core_set cores;
    std::unique_ptr<pinned_arena> arena;
  };
  static constexpr std::size_t most_idle = 16;  // of an own core
  WEIR_LOCK(arenas) mutex_;
  std::map<int, std::list<idle>> idle_ WEIR_GUARDED_BY(mutex_);  // by own core; the last that was given back in front
};

// Detaches the calling thread, which is in no arena, from oneTBB, which may then be ended. False: there is no memory
// for that, and only the thread's end does it.
bool leave_onetbb() noexcept;

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
