#pragma once

#include <vector>

#include "scheduler/divide/leximin.hpp"
#include "scheduler/place/placement.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir::rivals {

// What the rivals have in common: they count cores and take every core for a lane of its own, as far as the box allows
// (`max_width` lanes at most; then lanes have several cores). What runs inline owns nothing.

// The cores that a component may own: its bounds, and for a sequential one no more than it may have lanes.
core_bounds bounds_of(const component_view& component, int cores);

// As many lanes as a component may have on its cores.
int lanes_of(const component_view& component, int cores);

// Sets all lanes, and gives the shared group a place when it has members and none: a core that nobody owns, or else the
// first core of the largest owner. REQUIRES: no more cores given than there are.
core_counts completed(core_counts counts, const system_view& view);

// Who shares when `load` is what each component needs: those that run inline and, while the minima of the others leave
// no core for the group, those of the least load among the ones that do not ask for two or more cores. Throws
// std::invalid_argument as require_minima.
std::vector<bool> members_of_group(const system_view& view, const std::vector<double>& load);

// Equal shares of those that do not run inline (equal_counts), with the lanes above.
core_counts equal_start(const system_view& view);

// The counts in force; equal_start where there are none, or where they are not for this view: other cores, other
// components, outside the bounds. What runs inline by now has given up its cores.
core_counts present_counts(const system_view& view);

}  // namespace weir::rivals
