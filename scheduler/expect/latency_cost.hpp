#pragma once

#include <vector>

#include "scheduler/expect/flow.hpp"

namespace weir {

// The largest part of its time that a component may work at a given rate. The wait of a queue grows as 1/(1 - rho). At
// 0.85, a component that is a tenth slower than its model says is still not overloaded.
inline constexpr double busiest = 0.85;

// The cost that the latency rule minimises, in seconds, for a flow at `rate` records a second (0: a record alone). It
// is the latency while no component is busier than `busiest`. Beyond that it is the busiest component's utilisation
// over `busiest`, times a constant. The constant is more seconds than any allotment that keeps up would take, so
// allotments that cannot keep up compare by their bottlenecks. NaN where a component that records reach was never
// observed.
double latency_cost(const system_view& view, const flow& now, double rate, const record_paths& paths,
                    std::vector<component_times>& times);

// The same for a division without places, from paths and times that are kept between calls.
double latency_cost(const system_view& view, const core_counts& given, double rate, const record_paths& paths,
                    std::vector<component_times>& times);

}  // namespace weir
