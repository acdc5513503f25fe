#pragma once

#include <vector>

#include <weir/scheduler/view/core_counts.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/expect/cost_curve.hpp"
#include "scheduler/expect/expectation.hpp"

namespace weir {

// The cost of a record to a line of components whose times vary, in seconds. It is more than the time of its
// bottleneck, because bounded queues run empty and full. The closer the others come to the bottleneck, the more it
// costs.
//
// The cost is a k-norm of the expected seconds of all owners and of the shared group, with k = 3 / C^2. C^2 is the
// squared coefficient of variation of times, as a mean over components. Without variation the cost is the bottleneck.
//
// The form of k follows from heavy traffic. Two equal stations with B places between them lose C^2 / (2 B) of their
// rate (Whitt, The Queueing Network Analyzer, Bell System Technical Journal 62, 1983). A norm of two equal numbers is
// 2^(1/k) times one of them, which is the same loss for k = 2 ln 2 B / C^2. The factor 3 is lower than that gives for
// two stations alone; it is what simulations of six stations with queues of four give.
//
// A component that waits outside the cores (component_view::blocking, which is not the blocking of streams) is one more
// station in the sum. It does not count in C^2, so that the cheapest division without it is also cheapest with it.
double cost_with_blocking(const core_counts& given, std::vector<component_times>& times);

// Returns counts that cost less. One at a time, a core goes from the owner that loses least to the one that gains most;
// the shared group takes part like an owner. If that costs less again, its largest member may come to own a core, or an
// owner of one core may join it. Where times do not vary, the counts stay as they are. The result is within the limits
// of the curves, which are by index of view.components.
core_counts balanced(const system_view& view, const core_counts& counts, std::vector<cost_curve>& curves);

}  // namespace weir
