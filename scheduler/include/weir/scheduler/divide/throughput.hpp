#pragma once

#include <vector>

#include <weir/scheduler/view/allocation_options.hpp>
#include <weir/scheduler/view/core_counts.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace [[gnu::visibility("default")]] weir {

class cost_curve;

// True when expected times can be computed for every component that records reach.
bool all_observed(const system_view& view);

// Chooses the numbers of cores and lanes that make the slowest component fastest. It minimises the largest u_i, where
// u_i is the expected seconds of component i per network input (expectation.hpp), and then the next largest (leximin).
//
// Width: each number of cores is split into the lanes that minimise u_i, within the box's limits.
//
// Owners come in descending order of u_i(1), their time on one core. A group that shares s cores takes sum(u_i(1))/s.
// But it never takes less than a member with as many concurrent invocations as its box allows. Let tau be the
// bottleneck. A component with u_i(1) <= tau needs u_i(1)/tau of a core when it shares, and a whole core when it does
// not. So an optimal group holds the components below some threshold: a prefix of the order owns cores and the rest
// shares. Without a core left for the group it lies on an owner's core. A single member with a core of its own is an
// owner.
//
// Ties: some answers lie within `tie` of the best. Among these, answers where no member needs a whole core come first.
// Then come answers without a host, since the group would delay its invocations. Then comes the one whose owners have
// the fewest cores, which leaves most to the group.
//
// Blocking: where times vary, the answer is then balanced. A bottleneck that takes a little longer costs less than
// neighbours that are as slow (blocking.hpp).
//
// Components with min_cores >= 2 are always owners. A group has at most one core for each member, since a component
// that can use more gets them as its own. Up to that, cores that would make nothing faster go to the group. Without a
// group they stay idle.
//
// A component outside the cores (`.blocking(max)`) has none, and does not affect the others. When it is the slowest, no
// cores help it. Cores that do not help the others are harmless: the controller makes no move for them
// (controller.hpp).
//
// REQUIRES: all_observed(view). Throws std::invalid_argument when the components that ask for two or more cores ask for
// more than there are.
core_counts throughput_counts(const system_view& view, const throughput_options& options = {});

// The same by curves of the view with these options. REQUIRES: besides, there is a component, none is outside the
// cores, and require_minima(view) does not throw.
core_counts throughput_counts(const system_view& view, const throughput_options& options,
                              std::vector<cost_curve>& curves);

}  // namespace weir
