#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/place/line_runs.hpp"

namespace weir {

// The links of one of a few runs. Plain data.
struct run_links {
  std::uint32_t inside = 0;  // bit k: to the k-th of them
  int outside = 0;           // to anything right of all of them, less those to anything left
};

// Lays some runs of a problem at the least possible cost and returns their first slots, in the order of `runs`. They
// lie between slot `first` and `first` + their total length + `idle`.
//
// The method is dynamic programming over the set of runs that lie to the left and the idle slots among them. The number
// of runs apart is the number of links cut between every two neighbours, so it also adds up from left to right.
//
// Takes O(2^n n (idle + 1)) for n runs. Among equal answers it returns one with the fewest idle slots to the left of a
// run, and then the one nearest to the order of `runs`. REQUIRES: at most 20 runs.
std::vector<int> lay_exactly(const line_problem& problem, const run_costs& costs, const std::vector<int>& runs,
                             const std::vector<run_links>& links, int first, int idle);

}  // namespace weir
