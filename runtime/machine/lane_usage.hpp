#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/machine/platform.hpp"
#include "runtime/machine/worker_clocks.hpp"

namespace weir::detail {

// CPU time and other usage by the threads of a lane between begin() and end(): the lane's own thread, which calls both,
// and the workers of its arena. The largest CPU time among them is close to what the invocation would take on cores of
// its own. The wall-clock time of the invocation is not, where other processes use the same cores.
//
// Used by one thread.
class lane_usage {
 public:
  // workers: null when the lane has no other threads. reads_delays: delayed_seconds() is wanted, for 10 us a thread.
  lane_usage(const platform& p, const worker_clocks* workers, bool reads_delays = false)
      : platform_(p), workers_(workers), reads_delays_(reads_delays) {}

  bool reads_delays() const { return reads_delays_; }
  void begin();
  void end();

  // Between begin() and end().
  double cpu_seconds() const { return cpu_seconds_; }  // the largest of the lane's threads
  // By how much others delayed an invocation of `of` seconds: observation::delayed_seconds. 0 where it was not read.
  // Never by more than leaves what its threads computed: a thread may lose its core while it reads its delay, too.
  double delayed_seconds(double of) const { return std::max(0.0, std::min(delayed_seconds_, of - undelayed_seconds_)); }
  std::uint32_t switches() const { return switches_; }  // involuntary, of its own thread

 private:
  thread_times read(int worker) const;

  const platform& platform_;
  const worker_clocks* const workers_;
  thread_usage own_;
  const bool reads_delays_;
  double own_delay_ = 0;
  std::vector<thread_times> of_workers_;
  double cpu_seconds_ = 0, delayed_seconds_ = 0;
  double undelayed_seconds_ = 0;  // that the lane's threads, sharing the work, need to compute it
  std::uint32_t switches_ = 0;
};

}  // namespace weir::detail
