#pragma once

#include <vector>

#include "scheduler/place/line_runs.hpp"

namespace weir {

// Finds the first slot of every run, such that the runs are disjoint and the total cost is small. The cost is what each
// run costs at its place (run_costs), plus apart_weight for each run between the two ends of a link. The same problem
// has the same answer.
//
// A search over orders: for a given order the least cost takes one pass, O(n (idle + 1)). It starts from two orders,
// that of the runs and their present one on the line. Each start is improved, the better first, by reordering a few
// neighbours exactly (lay_exactly) while that helps and the budget lasts. So few runs get the least cost of all.
//
// REQUIRES: problem.idle() >= 0, lengths and lanes of 1 or more.
std::vector<int> arrange(const line_problem& problem);

}  // namespace weir
