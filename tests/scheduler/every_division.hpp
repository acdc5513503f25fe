#pragma once

#include <algorithm>

#include "scheduler/placement.hpp"
#include "scheduler/system_view.hpp"

namespace weir::testing {

// Calls consider(counts) with every division within the bounds of the boxes: who owns, how many cores and, with
// `widths`, lanes, where the group lies.
template <typename Consider>
void every_division(const system_view& view, bool widths, Consider consider) {
  const int n = static_cast<int>(view.components.size());
  core_counts counts;
  counts.components.resize(view.components.size());
  const auto next = [&](auto&& self, int i, int left, int members) -> void {
    if (i == n) {
      counts.shared = members > 0 ? left : 0;
      counts.host = -1;
      if (members == 0 || left > 0) return consider(counts);
      for (counts.host = 0; counts.host < n; ++counts.host)
        if (counts.components[static_cast<std::size_t>(counts.host)].cores > 0) consider(counts);
      return;
    }
    const component_view& c = view.components[static_cast<std::size_t>(i)];
    core_counts::entry& e = counts.components[static_cast<std::size_t>(i)];
    e = {};
    if (c.min_cores < 2) self(self, i + 1, left, members + 1);
    for (int cores = c.min_cores; cores <= std::min(left, c.max_cores); ++cores) {
      const int most = widths || c.sequential ? std::min(cores, c.max_width) : 1;
      for (int width = c.sequential ? cores : 1; width <= most; ++width) {
        e = {cores, width};
        self(self, i + 1, left - cores, members);
      }
    }
    e = {};
  };
  next(next, 0, view.cores.size(), 0);
}

}  // namespace weir::testing
