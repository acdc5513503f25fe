#pragma once

#include <vector>

#include "scheduler/expect/cost_curve.hpp"
#include "scheduler/expect/expectation.hpp"
#include "scheduler/view/core_counts.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir {

// What a record costs a line of components whose times vary, in seconds: more than its bottleneck takes, since bounded
// queues run empty and full, and the more so the closer the others come to it. A k-norm of the expected seconds of all
// owners and of the shared group, k = 3 / C^2 for times of a squared coefficient of variation C^2 (the mean over
// components). Two equal stations with B places between them lose C^2 / (2 B) of their rate (the limit of heavy
// traffic: Whitt, The Queueing Network Analyzer, Bell System Technical Journal 62, 1983); a norm of two equal numbers
// is 2^(1/k) times one, which is as much for k = 2 ln 2 B / C^2. That it falls with C^2 is from there; three, fewer
// than for two stations alone, is what simulations of six with queues of four give. Without variation the bottleneck.
//
// A component that waits outside the cores (component_view::blocking, another matter than streams that block) is one
// more station in the sum. It is none in C^2, so that what costs least without it also does with it.
double cost_with_blocking(const core_counts& given, std::vector<component_times>& times);

// Counts that cost less: cores go one at a time from whom it costs least to whom it helps most, the shared group one of
// them, and its largest member may come to own a core, or an owner of one core join it, where that costs less again. As
// they were where times do not vary. Within the limits of the curves, which are those of view.components.
core_counts balanced(const system_view& view, const core_counts& counts, std::vector<cost_curve>& curves);

}  // namespace weir
