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

// The cores of an invocation on a share, of its smallest lane. One for a member of the shared group, and for a
// component outside the cores.
inline int cores_of_invocation(const share& s) { return s.cores.empty() ? 1 : s.cores.size() / s.width; }

}  // namespace weir
