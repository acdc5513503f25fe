#pragma once

#include <cstddef>

#include <weir/scheduler/view/core_counts.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// Whether a component of the counts runs outside the cores; not where the view does not know it.
inline bool runs_outside(const system_view& view, std::size_t i) {
  return i < view.components.size() && is_outside(view.components[i]);
}

// Where the shared group goes. Plain data.
struct group_place {
  int cores = 0;  // of its own
  int host = -1;  // without: the owner that it lies on
};

// The place that counts give the group, or the one that it gets where view.needs_shared asks for it and they have none.
// Throws std::invalid_argument where there is no place for the counts, as place() says.
group_place place_of_group(const core_counts& counts, const system_view& view);

}  // namespace weir
