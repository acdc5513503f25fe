#pragma once

#include <vector>

#include "scheduler/place/line_runs.hpp"

namespace weir {

// The first slot of every run, such that the runs are disjoint and cost little: what each costs at its place
// (run_costs), and apart_weight for each run between the two ends of a link. The same problem has the same answer.
// REQUIRES: problem.idle() >= 0, lengths and lanes of 1 or more.
//
// Exactly while that is cheap (see arrange_exactly), else by search.
std::vector<int> arrange(const line_problem& problem);

// The least possible cost (exact_runs.hpp). REQUIRES: at most 20 runs.
std::vector<int> arrange_exactly(const line_problem& problem);

// For a given order the least cost is one pass, O(n (idle + 1)). Tried are the order of the runs and that in which they
// lie now, each as it is and packed so that the runs fill the stretches between two steps. Each of them, the best
// first, is improved by reordering a few neighbours exactly, and where that helps no more by moving one run to another
// place in the order or exchanging two, until nothing helps or the budget is spent.
std::vector<int> arrange_by_search(const line_problem& problem);

}  // namespace weir
