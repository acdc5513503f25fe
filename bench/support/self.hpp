#pragma once

#include <string>

namespace weir::program {

// Starts this program again, as "UNDER SELF ARGUMENTS" by a shell, and returns its standard output. Throws
// std::runtime_error, with that text and the signal if there was one, if it fails.
std::string output_of_self(const std::string& arguments, const std::string& under = "");

}  // namespace weir::program
