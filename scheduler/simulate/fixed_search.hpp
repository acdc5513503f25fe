#pragma once

#include <vector>

#include "scheduler/view/core_counts.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir::simulation {

// What one allotment would have cost: counts, and expected seconds per record that enters, over all views.
struct fixed_choice {
  core_counts counts;
  double seconds = 0;
};

// The numbers of cores that are best for all of some views at once, which differ in their models: those with the least
// sum over views of weight x norm, the norm being (sum of u_i^norm)^(1/norm) over the seconds u_i per record that
// enters (expectation.hpp) of each owner and of the shared group. A large norm (64) is the bottleneck's time. A smaller
// one counts those just below it, too: where times vary and queues are finite, they cost throughput as well. The best
// first, one for each division into owners and shared group that is within 5 % of the best, at most `most`.
//
// Those that run outside the cores are left out: no division changes what they take.
//
// Divisions: the components with the longest times on one core own cores and the others share, for every number of
// owners; the group has cores of its own or lies on any owner (of more than 12 components, on the longest). Within a
// division cores first go to whom they help the most; then all numbers of them are searched, branch and bound: nobody
// can be faster than with all cores that the others leave. That is exact to a thousandth where the views change the
// times of a component by a factor, unless it takes more than 200 000 steps for a division or two million for all of
// them, after which the best so far stands. A component with c cores has the lanes that are best for it alone.
//
// REQUIRES: views with models, of equal components and cores; as many weights.
std::vector<fixed_choice> best_fixed_counts(const std::vector<system_view>& views, const std::vector<double>& weights,
                                            double norm, std::size_t most);

}  // namespace weir::simulation
