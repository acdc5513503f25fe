#pragma once

#include <vector>

#include "scheduler/view/allotment.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir::rivals {

// Core-seconds that each component was measured to need per record that enters the network: V times the mean of useful
// seconds times cores of the lane, over the invocations since the last move (before the first of these, over all recent
// ones). 0 for one that is not visited, NaN for one that is and was never timed. No model is asked.
std::vector<double> measured_load(const system_view& view);

// Whether every component has a measured load.
bool all_measured(const std::vector<double>& load);

// Seconds per record of the slowest under an allotment, when loads stay what they are on any number of cores (linear
// scaling): load/cores of an owner, the sum of the members' loads over the cores of the shared group. A group on an
// owner's core adds to the load of that owner. For the allotment in force this is what was measured. NaN as above.
double linear_bottleneck(const std::vector<double>& load, const allotment& given);

}  // namespace weir::rivals
