#pragma once

#include <vector>

#include <weir/scheduler/view/core_counts.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// Says who has cores of which kind: the numbers of cores of a division, by kind of cores (topology::kinds()). In all
// kinds together each component, and the shared group, has as many as in `counts`.
//
// All cores are of the slowest kind at first. Then the fast ones are given away one by one, the fastest kind first.
// Each goes to the component that is then the slowest and that a faster core helps, or to the shared group. For the
// slowest that is as optimal as it is for numbers of cores (throughput.hpp). With `for_latency`, each goes where it
// saves the most seconds of a record. A lane keeps to one kind. Where too few cores of each kind are left for a lane of
// several, one lane lies across kinds.
//
// REQUIRES: counts give away no more than view.cores, and the shared group has a place.
std::vector<core_counts> by_kind(const core_counts& counts, const system_view& view, bool for_latency);

}  // namespace weir
