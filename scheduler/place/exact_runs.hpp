#pragma once

#include <vector>

#include "scheduler/place/line_runs.hpp"

namespace weir {

// The first slots of some runs of a problem, in the order of `runs`, when they lie between `first` and `first` + their
// lengths + `idle`: at the least possible cost, by dynamic programming over which of them lie to the left and how many
// idle slots among them. The runs that are apart are the links cut between every two neighbours, so that they too add
// up from left to right. `outside` has for each of `runs` its links to what lies right of all of them less its links to
// what lies left.
//
// O(2^n n (idle + 1)) for n runs. Of equal answers one with the fewest idle slots to the left of a run, and of those
// the one nearest to the order of `runs`. REQUIRES: at most 20 runs.
std::vector<int> lay_exactly(const line_problem& problem, const run_costs& costs, const std::vector<int>& runs,
                             const std::vector<int>& outside, int first, int idle);

}  // namespace weir
