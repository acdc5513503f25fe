#pragma once

#include <vector>

#include "scheduler/placement.hpp"
#include "scheduler/system_view.hpp"

namespace weir::simulation {

// What one allotment would have cost: counts, and expected seconds per record that enters, over all views.
struct fixed_choice {
  core_counts counts;
  double seconds = 0;
};

// The numbers of cores that are best for all of some views at once, which differ in their models: those with the least
// sum of weight x bottleneck (expectation.hpp). The best first, one for each division into owners and shared group that
// was looked at, at most `most`.
//
// Divisions: the components with the longest times on one core, by their weighted mean, own cores and the others share,
// for every number of owners; the group has cores of its own or lies on any owner. Within a division all numbers of
// cores are searched, branch and bound: no owner, and no group, can be faster than with all cores that the others
// leave. Exact unless it takes more than two million steps for a division, after which the best so far stands. A
// component with c cores has the lanes that are best for it alone.
//
// REQUIRES: views with models, of equal components and cores; as many weights.
std::vector<fixed_choice> best_fixed_counts(const std::vector<system_view>& views, const std::vector<double>& weights,
                                            std::size_t most);

}  // namespace weir::simulation
