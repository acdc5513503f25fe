#pragma once

#include <algorithm>
#include <chrono>
#include <map>

#include "runtime/machine/ended_threads.hpp"

namespace weir::detail {

// The threads of processes that this one has started, as Linux tells of them in /proc/PID/task. Used by one thread.
class child_threads {
 public:
  using clock = std::chrono::steady_clock;
  struct demand {
    double cores = 0;    // that its threads were on, or waited for, on average
    int threads = 0;     // that computed
    double seconds = 0;  // over which

    // Cores beyond these. A process below 10 ms counts by its age. In its first millisecond a shell and the program
    // that it has just started both have work, though one waits for the other from then on.
    double beyond(double granted) const { return std::max(0.0, cores - granted) * std::min(1.0, seconds / 0.01); }
  };

  void begin();  // a look at all processes
  // The demand of a process, and of all that it has started in turn: since the last look, or since it began. Threads
  // that have ended count with their CPU time. Costs two reads of a file for each thread, 10 us. Throws std::bad_alloc.
  demand of(int pid, clock::time_point began);
  void end();  // forgets what was not there in this look

 private:
  struct seen {
    double cores = 0;  // seconds so far that it was on a core or waited for one
    double on_core = 0;
    bool is_there = true;
  };
  struct seen_process {
    double cpu = 0;  // seconds so far
    ended_threads ended{};
    bool is_there = true;
  };

  demand of_one(int pid, double passed);

  clock::time_point now_, before_;
  std::map<int, seen> threads_;
  std::map<int, seen_process> processes_;
};

}  // namespace weir::detail
