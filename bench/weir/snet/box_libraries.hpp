#pragma once

#include <string>

#include <weir/network/registry.hpp>

namespace weir::program {

// Loads a library and adds its boxes. Throws bad_input that begins with `given_by`, names the library and says why it
// cannot be used; bad_text for a declaration in it, with the line and a caret. An exception of its static objects ends
// the process with exit code 2, and is said as any other error.
void add_library(registry& to, const std::string& library, const std::string& given_by);

}  // namespace weir::program
