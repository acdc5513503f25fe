#pragma once

#include <vector>

#include "scheduler/component_times.hpp"
#include "scheduler/expectation.hpp"
#include "scheduler/placement.hpp"
#include "scheduler/throughput.hpp"

namespace weir {

// What a record costs a line of components that vary, in seconds: more than its bottleneck takes, since bounded queues
// run empty and full, and the more so the closer the others come to it. A k-norm of the expected seconds of owners and
// of the shared group, with k = 3 / C^2 for times of squared coefficient of variation C^2 (the mean over components): two
// equal stations between which B places lie block each other for C^2 / 2B of the time (a diffusion's limit, Whitt, The
// Queueing Network Analyzer, Bell System Technical Journal 62, 1983), which is what a norm with k = 2 ln 2 B / C^2 says
// of two equal numbers; the three is what simulations of six components with queues of four give. Without variation it
// is the bottleneck.
double cost_with_blocking(const core_counts& given, std::vector<component_times>& times);

// Counts with less cost, by moving cores one at a time from whom it costs least to whom it helps most, the shared group
// among them, and by letting its largest member own a core or an owner of one join it. As they were without variation.
// Within the same limits as throughput_counts.
core_counts evened(const system_view& view, const core_counts& counts, const throughput_options& options);

}  // namespace weir
