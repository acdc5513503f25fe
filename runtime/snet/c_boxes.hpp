#pragma once

#include <weir/network/registry.hpp>

namespace weir::detail::snet {

inline constexpr int c_interface = 1;  // WEIR_BOX_INTERFACE

// Calls a library's weir_boxes_c, and adds the boxes that it adds. Throws std::runtime_error for its mistakes.
void add_c_boxes(registry& to, void* weir_boxes_c);

}  // namespace weir::detail::snet
