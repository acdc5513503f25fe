#pragma once

#include <algorithm>
#include <cstddef>

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// By an index as decisions have it, which may be -1 elsewhere. REQUIRES: 0 <= i.
inline const component_view& at(const system_view& view, int i) { return view.components[static_cast<std::size_t>(i)]; }
inline const share& at(const allotment& given, int i) { return given.components[static_cast<std::size_t>(i)]; }

// Whether it is unknown how a component's time changes with cores. A component outside the cores never changes them.
inline bool is_unknown(const component_view& c) {
  return c.visits > 0 && !is_outside(c) && !c.model->cores_known().alpha_known;
}

// The component that gains most cores; -1: the shared group. If none gains any, the first component that changes.
inline int receiver(const allotment& from, const allotment& to) {
  int best = -1, most = to.shared_host() >= 0 ? 0 : std::max(0, to.shared.size() - from.shared.size());
  const int n = static_cast<int>(to.components.size());
  for (int i = 0; i < n; ++i)
    if (const int gained = at(to, i).cores.size() - at(from, i).cores.size(); gained > most) most = gained, best = i;
  for (int i = 0; most == 0 && best < 0 && i < n; ++i)
    if (at(from, i) != at(to, i)) best = i;
  return best;
}

}  // namespace weir
