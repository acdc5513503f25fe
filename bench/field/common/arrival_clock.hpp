#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace weir::field_bench {

// The time that a run took, and each of its items from its arrival until it was through; seconds. Plain data.
struct run_times {
  double seconds = 0;
  std::vector<double> latencies;
};

// Lets items in at their times, and measures when they are through. Its making begins the run.
class arrival_clock {
 public:
  // Item i arrives `arrivals[i]` seconds after the beginning; without arrivals all `items` are there. The arrivals must
  // outlive it.
  arrival_clock(std::size_t items, const std::vector<double>& arrivals);

  void wait_for(std::size_t item) const;  // sleeps until it arrives; thread-safe
  void done(std::size_t item);            // thread-safe, for different items
  run_times end();                        // after the last item; gives up the latencies

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point arrival_of(std::size_t item) const;

  const std::vector<double>& arrivals_;
  const clock::time_point begin_ = clock::now();
  std::vector<double> latencies_;
};

}  // namespace weir::field_bench
