#pragma once

#include <vector>

#include <weir/scheduler/view/core_counts.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir::simulation {

// The cost of one allotment over all views: its counts, and the expected seconds per record that enters. Plain data.
struct fixed_choice {
  core_counts counts;
  double seconds = 0;
};

// Finds the numbers of cores that are best for several views together, which differ in their models. The best have the
// least sum over views of weight x N, where N = (sum of u_i^norm)^(1/norm). The u_i are the seconds per record that
// enters (expectation.hpp) of each owner and of the shared group. A large norm (64) is the bottleneck's time. A smaller
// one also counts components just below it. Where times vary and queues are finite, these cost throughput as well.
//
// Returns the best first, at most `most`: one for each division into owners and shared group that is within 5 % of the
// best. Components outside the cores are left out, since no division changes their times.
//
// Divisions: the components with the longest times on one core own cores and the others share, for every number of
// owners. The group has cores of its own or lies on any owner (on the longest only, with more than 12 components).
//
// Within a division, cores first go where they help most. Then branch and bound searches all numbers of cores. Its
// bound is that no component can be faster than with all cores that the others leave. The result is exact to a
// thousandth where the views change the times of a component by a factor. But the best so far is returned after 200 000
// steps for one division, or ten million for all. A component with c cores has the lanes that are best for it alone.
//
// REQUIRES: views with models, of equal components and cores; as many weights.
std::vector<fixed_choice> best_fixed_counts(const std::vector<system_view>& views, const std::vector<double>& weights,
                                            double norm, std::size_t most);

}  // namespace weir::simulation
