#pragma once

#include <algorithm>

#include <weir/scheduler/place/placement.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "tests/scheduler/views.hpp"

// All possible answers of a rule, for tests that compare it with the best one.
namespace weir::testing {

// Whether every box can keep its own bounds. It cannot if a sequential box of few lanes asks for more cores than lanes,
// or if the boxes together ask for more cores than there are.
inline bool can_own(const system_view& view) {
  return refusal([&] { require_minima(view); }) == nothing_refused &&
         std::all_of(view.components.begin(), view.components.end(),
                     [](const component_view& c) { return !c.sequential || c.min_cores <= c.max_width; });
}

// Calls consider(core_counts) with every division within the bounds of the boxes: the owners, their numbers of cores,
// and the place of the group. With `widths`, it also varies the lanes; otherwise each owner has one, a sequential box
// one per core. A group gets all remaining cores, up to the lanes of its members. REQUIRES: can_own(view).
template <typename Consider>
void every_division(const system_view& view, bool widths, Consider consider) {
  const int n = static_cast<int>(view.components.size());
  core_counts counts;
  counts.components.resize(view.components.size());
  const auto next = [&](auto&& self, int i, int left, int lanes) -> void {
    if (i == n) {
      counts.shared = std::min(left, lanes);
      counts.host = -1;
      if (lanes == 0 || left > 0) return consider(counts);
      for (counts.host = 0; counts.host < n; ++counts.host)
        if (counts.components[static_cast<std::size_t>(counts.host)].cores > 0) consider(counts);
      return;
    }
    const component_view& c = view.components[static_cast<std::size_t>(i)];
    core_counts::entry& e = counts.components[static_cast<std::size_t>(i)];
    e = {};
    if (c.min_cores < 2)
      self(self, i + 1, left, std::min(view.cores.size(), lanes + std::min(view.cores.size(), shared_lanes(c))));
    for (int cores = c.min_cores; cores <= std::min(left, c.max_cores); ++cores) {
      const int most = widths || c.sequential ? std::min(cores, c.max_width) : 1;
      for (int width = c.sequential ? cores : 1; width <= most; ++width) {
        e = {cores, width};
        self(self, i + 1, left - cores, lanes);
      }
    }
    e = {};
  };
  next(next, 0, view.cores.size(), 0);
}

// The excess of answers over the best of all, as a part of it.
struct excess {
  double mean = 0, most = 0;
  int over = 0;  // instances more than 5 % over the best

  // Adds one of `instances` instances.
  void add(double part, int instances) {
    mean += std::max(0.0, part) / instances;
    most = std::max(most, part);
    over += part > .05;
  }
};

}  // namespace weir::testing
