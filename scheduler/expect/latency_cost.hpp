#pragma once

#include <vector>

#include "scheduler/expect/flow.hpp"

namespace weir {

// The part of its time that no component may work more than at a rate: the wait of a queue grows as 1/(1 - rho), and at
// 0.85 a component that is a tenth slower than its model says is still not overloaded.
inline constexpr double busiest = 0.85;

// What the latency rule wants to be small, in seconds, of a flow at `rate` records a second (0: a record alone): its
// latency while no component is busier than `busiest`. Beyond that it is the busiest component's utilisation over
// `busiest`, times more seconds than any allotment that can keep up would take, so that those that cannot compare by
// their bottlenecks. NaN where a component that records reach was never observed.
double latency_cost(const system_view& view, const flow& now, double rate, std::vector<component_times>& times);

// The same of a division that nobody has placed yet, from what is kept between calls.
double latency_cost(const system_view& view, const core_counts& given, double rate, const record_paths& paths,
                    std::vector<component_times>& times);

}  // namespace weir
