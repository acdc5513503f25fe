#pragma once

#include <cstdint>
#include <vector>

#include "runtime/machine/platform.hpp"

namespace weir::detail {

class worker_clocks;

// What the threads of a lane use of the machine between begin() and end(): the lane's own thread, which calls both, and
// the workers of its arena. The largest CPU time among them is close to what the invocation would take on cores of its
// own. The wall-clock time of the invocation is not, where other processes use the same cores.
//
// Used by one thread.
class lane_usage {
 public:
  // workers: null when the lane has no other threads.
  lane_usage(const platform& p, const worker_clocks* workers) : platform_(p), workers_(workers) {}

  void begin();
  void end();

  // Between begin() and end().
  double cpu_seconds() const { return cpu_seconds_; }   // the largest of the lane's threads
  std::uint32_t switches() const { return switches_; }  // involuntary, of its own thread

 private:
  const platform& platform_;
  const worker_clocks* const workers_;
  thread_usage own_;
  std::vector<double> of_workers_;
  double cpu_seconds_ = 0;
  std::uint32_t switches_ = 0;
};

}  // namespace weir::detail
