#pragma once

#include <weir/scheduler/view/allocation_options.hpp>
#include <weir/scheduler/view/core_counts.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/expect/latency_cost.hpp"

namespace weir {

// Chooses the numbers of cores and lanes with which a record is expected to pass through the network fastest, while
// `rate` records a second enter it. With 0 the record is alone.
//
// Cores go to components by marginal gain (marginal_gain.hpp), and never more than help. Alone, an invocation has all
// cores of its component, in one lane. At a rate, a component gets at least the cores that keep it no busier than
// `busiest`. Each number of cores is split into the lanes with the shortest sojourn, and the remaining cores go where
// they save most, waiting included.
//
// Sharing: while there are cores for all, as few components as possible share. More share where that makes records
// faster. For a record alone, the bottleneck must also stay as fast as without sharing: a record alone does not see
// what sharing costs the records behind it. With fewer cores than components, those whose cores would save least share.
// Alone, that follows from the marginal gain; at a rate, the search begins with the members of least time on one core.
// Then components join and leave the group while that helps, two together where there are few components. The group
// lies on cores of its own while any are left, else on an owner's.
//
// Components that run inline are members. Components outside the cores own nothing and are no members; their time
// counts as part of a record's way. If nothing can keep up with the rate, the answer is throughput_counts.
//
// REQUIRES: all_observed(view). Throws std::invalid_argument when the components that ask for two or more cores ask for
// more than there are.
core_counts latency_counts(const system_view& view, double rate, const throughput_options& options = {});

}  // namespace weir
