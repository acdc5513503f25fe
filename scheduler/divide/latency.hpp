#pragma once

#include "scheduler/expect/latency_cost.hpp"
#include "scheduler/view/allocation_options.hpp"
#include "scheduler/view/core_counts.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir {

// The numbers of cores and lanes with which a record is expected to pass through the network fastest, while `rate`
// records a second enter it; 0: alone.
//
// Every component gets cores by marginal gain (marginal_gain.hpp), never more than help. Alone, an invocation has all
// of its component's cores, one lane. At a rate, the least number of cores is that from which the component is no
// busier than `busiest`; each number of cores is split into the lanes with the shortest sojourn, and what is left over
// goes where it saves most, waiting included.
//
// Who shares: as few as have no core, while there are cores for all, or more where that makes records faster and, for
// a record alone, the bottleneck no slower than without: what sharing costs the records behind it, a record alone does
// not see. With fewer cores than components, those share whose cores would save least: alone, that falls out of the
// marginal gain; at a rate, the search begins with those of least time on one core. Then components join and leave the
// group, two at once where there are few, while that helps. The group lies on cores of its own while any are left, else
// on an owner's.
//
// Components that run inline are members. Those that run outside the cores own nothing and are none; what records take
// there counts as part of their way. When nothing can keep up with the rate the answer is throughput_counts.
//
// REQUIRES: all_observed(view). Throws std::invalid_argument when the components that ask for two or more cores ask for
// more than there are.
core_counts latency_counts(const system_view& view, double rate, const throughput_options& options = {});

}  // namespace weir
