#pragma once

#include <vector>

#include <weir/scheduler/place/placement.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/divide/leximin.hpp"

namespace weir::rivals {

// Functions that the rivals share. Rivals count cores and use each core as its own lane, up to the box's `max_width`;
// beyond that, lanes have several cores. Components that run inline own no cores.

// The number of cores that a component may own: its bounds, for a sequential one limited by its number of lanes.
core_bounds bounds_of(const component_view& component, int cores);

// The number of lanes of a component on its cores.
int lanes_of(const component_view& component, int cores);

// Sets all lanes, and places the shared group if it has members and no core: on an idle core, or else on the first core
// of the largest owner. REQUIRES: the counts use no more cores than there are.
core_counts completed(core_counts counts, const system_view& view);

// Which components share, when `load` is each one's need. Components that run inline always do. If the minima of the
// others leave no core for the group, the ones with the least load join it. Components that ask for two or more cores
// never do. Throws std::invalid_argument as require_minima.
std::vector<bool> members_of_group(const system_view& view, const std::vector<double>& load);

// Equal shares (equal_counts) of the components that do not run inline, with lanes_of lanes.
core_counts equal_start(const system_view& view);

// The counts in force. It is equal_start if there are none or they do not fit the view: other cores, other components,
// outside the bounds. A component that runs inline by now has given up its cores.
core_counts present_counts(const system_view& view);

}  // namespace weir::rivals
