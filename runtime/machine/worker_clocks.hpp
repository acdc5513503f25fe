#pragma once

#include <memory>

#include "runtime/machine/platform.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// How long the workers of an arena have computed in it: a clock for each of their places, that is for each core of the
// lane but the own thread's. It counts the CPU time of whoever is at that place, one after the other. Thread-safe.
//
// A worker comes and goes by itself: it may stay over several invocations, come several times in one, and end any time
// after it left. While a clock is read its worker cannot leave, and so cannot have ended.
class worker_clocks {
 public:
  worker_clocks(const platform& p, int places);

  int count() const { return count_; }

  // By the worker, at its place in 0 .. count - 1; any other is ignored.
  void enter(int place);
  void leave(int place);

  // CPU seconds at the place so far, for any thread to ask. A system call when a worker is there.
  double read(int place) const;

 private:
  // On a cache line of its own: workers come and go at the same time.
  struct alignas(64) clock {
    mutable WEIR_LOCK(clocks) mutex;
    double before = 0;  // by those who left
    bool is_running = false;
    cpu_clock who;
    double entered = 0;  // what that clock said then

    double with(double now) const;  // when it says `now`
  };

  const platform& platform_;
  const int count_;
  const std::unique_ptr<clock[]> clocks_;
};

}  // namespace weir::detail
