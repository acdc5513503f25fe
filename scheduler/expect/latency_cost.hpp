#pragma once

#include <vector>

#include "scheduler/expect/flow.hpp"

namespace weir {

// The largest part of its time that a component of a chosen division may work at a given rate. The wait of a queue
// grows as 1/(1 - rho). At 0.85, a component that is a tenth slower than its model says is still not overloaded.
inline constexpr double busiest = 0.85;

// The largest load at which the latency is that of a queue in its steady state. Closer to saturation a queue needs
// thousands of records to get there.
inline constexpr double steady_load = 0.95;

// The cost that the latency rule minimises, in seconds, for a flow at `rate` records a second (0: a record alone). It
// is the latency up to `steady_load`. Beyond that it is the latency at this load, and the mean wait behind the backlog
// that 1000 further records make: record n waits n (bottleneck - steady_load / rate) seconds longer. NaN where a
// component that records reach was never observed.
double latency_cost(const system_view& view, const core_counts& given, const flow& now, double rate,
                    const record_paths& paths, std::vector<component_times>& times);

// The same without a flow. The division has no places, and paths and times are kept between calls.
double latency_cost(const system_view& view, const core_counts& given, double rate, const record_paths& paths,
                    std::vector<component_times>& times);

}  // namespace weir
