#pragma once

#include <string>

#include <weir/network/registry.hpp>

namespace weir::detail::snet {

// Loads a shared library and adds its boxes: by `void weir_boxes(weir::registry&)` of a library in C++, or by `void
// weir_boxes_c(weir_registry*)` of one in another language (weir_box.h). The library stays loaded until the process
// ends, since its boxes may.
//
// Throws std::runtime_error that names the library and says why it cannot be used: it does not load, has neither of the
// functions, or was made for another version of weir. Also throws what registry::add does.
void add_library(registry& to, const std::string& path);

}  // namespace weir::detail::snet
