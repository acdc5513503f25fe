#pragma once

#include <vector>

#include "scheduler/place/line_runs.hpp"

namespace weir {

// Finds the first slot of every run, such that the runs are disjoint and the total cost is small. The cost is what each
// run costs at its place (run_costs), plus apart_weight for each run between the two ends of a link. The same problem
// has the same answer. It is exact while that is cheap (arrange_exactly), else the result of a search.
//
// REQUIRES: problem.idle() >= 0, lengths and lanes of 1 or more.
std::vector<int> arrange(const line_problem& problem);

// An arrangement of the least possible cost (exact_runs.hpp). REQUIRES: at most 20 runs.
std::vector<int> arrange_exactly(const line_problem& problem);

// A search over orders: for a given order the least cost takes one pass, O(n (idle + 1)). It starts from four orders:
// the order of the runs and their present order on the line, each as it is and packed. Packed means that the runs fill
// the stretches between two steps.
//
// Each start is improved, the best first, by reordering a few neighbours exactly. Where that no longer helps, one run
// moves to another place in the order, or two runs change places. It ends when nothing helps or the budget is spent.
std::vector<int> arrange_by_search(const line_problem& problem);

}  // namespace weir
