#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/measurements/components/workloads.hpp"

namespace weir::component_costs {

// One timed call of a component. Plain data.
struct measurement {
  std::string component;
  double x = 0;
  int cores = 1;
  double seconds = 0;      // wall-clock time
  bool disturbed = false;  // the system took a core away from a thread of this process during the call
  bool right = false;      // the answer was checked after the clock had stopped
};

// Runs each workload `repeats` times on a task arena of each number of cores, one at a time, in an order shuffled by
// `seed`, after one untimed run each. The threads of the arena are awake when the clock starts, as they are in a
// stream: waking one took about 40 us on a virtual machine. Throws what a component throws.
std::vector<measurement> measure(const std::vector<workload>& workloads, const std::vector<int>& cores, int repeats,
                                 std::uint64_t seed);

}  // namespace weir::component_costs
