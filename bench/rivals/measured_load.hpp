#pragma once

#include <vector>

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir::rivals {

// Measured core-seconds that each component needs per record that enters the network: V times the mean of useful
// seconds times cores of the lane. The mean is over the invocations since the last move; before there are any, over all
// recent ones. The load is 0 for a component that no record visits, NaN for a visited one that was never timed. No
// model is asked.
std::vector<double> measured_load(const system_view& view);

// Whether every component has a measured load.
bool all_measured(const std::vector<double>& load);

// The slowest component's seconds per record under an allotment, if loads do not depend on the number of cores (linear
// scaling). An owner takes load/cores; the shared group takes the sum of its members' loads over its cores. A group on
// an owner's core adds to that owner's load. For the allotment in force this is the measured value. NaN as above.
double linear_bottleneck(const std::vector<double>& load, const allotment& given);

}  // namespace weir::rivals
