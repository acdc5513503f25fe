#pragma once

#include "scheduler/view/allocation_options.hpp"
#include "scheduler/view/core_counts.hpp"
#include "scheduler/view/system_view.hpp"

namespace [[gnu::visibility("default")]] weir {

// True when expected times can be computed for every component that records reach.
bool all_observed(const system_view& view);

// The numbers of cores and lanes that make the slowest component fastest: minimise the largest u_i, where u_i is the
// expected seconds of component i per network input (expectation.hpp), and then the next largest (leximin).
//
// Width: each number of cores is split into the lanes that minimise u_i, within the box's limits.
// Owners: components in descending order of u_i(1), their time on one core. A group that shares s cores takes
// sum(u_i(1))/s, but never less than a member with as many invocations at once as its box allows. At a bottleneck tau,
// a component with u_i(1) <= tau needs u_i(1)/tau of a core when it shares and a whole one when it does not, so an
// optimal group holds those below some threshold: prefixes of the order are owners, the rest shares. With no core left
// for the group it lies on an owner's core; a single member with a core of its own is an owner. Among the answers
// within `tie` of the best: first those in which no member needs a whole core, then those without a host, whose
// invocations the group would delay, then the one with the fewest owners' cores, which leaves the group the most room.
//
// Where times vary, the answer is then balanced: a bottleneck that takes a little longer costs less than neighbours
// that are as slow (blocking.hpp).
//
// Components with min_cores >= 2 are always owners. A group has at most one core for each member: who could use more
// has them as its own. Up to that, cores that would make nothing faster go to the group; without one they stay idle.
//
// What runs outside the cores (`.blocking(max)`) has none, and changes nothing for the others: when it is the slowest
// no cores help it, and cores that others then have in vain cost nothing, since no move is made for them
// (controller.hpp).
//
// REQUIRES: all_observed(view). Throws std::invalid_argument when the components that ask for two or more cores ask for
// more than there are.
core_counts throughput_counts(const system_view& view, const throughput_options& options = {});

}  // namespace weir
