#pragma once

#include <cstddef>

#include "scheduler/view/allotment.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir {

// By an index as decisions have it, which may be -1 elsewhere. REQUIRES: 0 <= i.
inline const component_view& at(const system_view& view, int i) { return view.components[static_cast<std::size_t>(i)]; }
inline const share& at(const allotment& given, int i) { return given.components[static_cast<std::size_t>(i)]; }

// Whether it is unknown how a component's time changes with cores. A component outside the cores never changes them.
inline bool is_unknown(const component_view& c) {
  return c.visits > 0 && !is_outside(c) && !c.model->cores_known().alpha_known;
}

}  // namespace weir
