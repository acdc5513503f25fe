#pragma once

#include <string>

#include <weir/network/registry.hpp>

namespace weir::program {

// Loads a library and adds its boxes. Throws std::exception that names the library and says why it cannot be used. An
// exception of its static objects ends the process with exit code 2, and is said as any other error; `given_by` is the
// option that its line begins with.
void add_library(registry& to, const std::string& library, const std::string& given_by = "--boxes: ");

}  // namespace weir::program
