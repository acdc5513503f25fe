#pragma once

#include <memory>

#include "runtime/machine/platform.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

class foreign_load;

// Seconds that a thread computed, and for which it could have and had no core.
struct thread_times {
  double computed = 0, delayed = 0;
};

// How long the workers of an arena have computed in it: a clock for each of their places, that is for each core of the
// lane except the own thread's. A clock counts the CPU time of the workers at that place, one after the other.
// Thread-safe.
//
// oneTBB decides when a worker comes and goes. It may stay over several invocations, come several times in one, and end
// any time after it left. While a clock is read its worker cannot leave, and so cannot have ended.
class worker_clocks {
 public:
  // Delays are read while `others` is notable; null: never.
  worker_clocks(const platform& p, int places, const foreign_load* others = nullptr);

  int count() const { return count_; }

  // By the worker, at its place in 0 .. count() - 1; other places are ignored.
  void enter(int place);
  void leave(int place);

  // CPU seconds at the place so far. Any thread may ask. Makes a system call while a worker is there.
  double read(int place) const;
  // The same, and the seconds for which workers there waited for the core since they came. A worker that came while
  // delays were not read, or whose delay cannot be read, adds nothing to the latter.
  thread_times read_times(int place) const;

 private:
  // On a cache line of its own: workers come and go at the same time.
  struct alignas(64) clock {
    mutable WEIR_LOCK(clocks) mutex;
    double before = 0;  // of the workers that have left
    bool is_running = false;
    cpu_clock who;
    double entered = 0;                              // the reading of that clock at entry
    double delayed_before = 0, delayed_entered = 0;  // the same of delays; NaN: not read

    double with(double now) const;  // seconds at this place when that clock reads `now`
    double delayed_with(double now) const;
  };
  double delay(cpu_clock of) const;

  const platform& platform_;
  const int count_;
  const foreign_load* const others_;
  const std::unique_ptr<clock[]> clocks_;
};

}  // namespace weir::detail
