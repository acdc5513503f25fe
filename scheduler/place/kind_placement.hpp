#pragma once

#include <vector>

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/core_counts.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// Chooses core sets on a machine whose cores are of several kinds: place() among the cores of each kind, by the numbers
// of each. A share may so have a run of cores of each kind. One whose lane is across two kinds has the last cores of
// the faster and the first of the slower. Nothing moves while the numbers of each kind are those in force.
//
// REQUIRES: `of_kinds` has the counts by kind, the place of the group included (place_of_group).
allotment place_by_kind(const core_counts& counts, const std::vector<core_counts>& of_kinds, const system_view& view);

}  // namespace weir
