#pragma once

#include <vector>

#include "scheduler/line_runs.hpp"

namespace weir {

// The first slot of every run, such that the runs are disjoint and cost little: what each costs at its place
// (run_costs), and apart_weight for each run between the two ends of a link. The same problem has the same answer.
// REQUIRES: problem.idle() >= 0, lengths and lanes of 1 or more.
//
// Exactly while that is cheap (see arrange_exactly), else by search.
std::vector<int> arrange(const line_problem& problem);

// The least possible cost, by dynamic programming over which runs lie to the left and how many idle slots among them:
// the runs apart are the links cut between every two neighbours, so that they too add up from left to right.
// O(2^n n (idle + 1)) for n runs. Of equal answers one with the fewest idle slots among the runs, and of
// those the one nearest to the order of the runs. REQUIRES: at most 20 runs.
std::vector<int> arrange_exactly(const line_problem& problem);

// For a given order the least cost is one pass, O(n (idle + 1)). Tried are the order of the runs and that in which they
// lie now, each as it is and packed so that the runs fill the stretches between two steps. Each of them, the best
// first, is improved by moving one run to another place in the order, or exchanging two, until nothing helps or the
// budget is spent.
std::vector<int> arrange_by_search(const line_problem& problem);

}  // namespace weir
