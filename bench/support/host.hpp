#pragma once

#include <string>

#include "runtime/machine/machine.hpp"

namespace weir::command {

// The machine an option names: "local", or an hwloc synthetic topology such as "package:4 core:12 pu:1". Throws
// bad_input naming what is neither.
machine parse_machine(const std::string& text);

// What a measurement says about where it was made.
std::string processor_name();  // "Intel(R) Xeon(R) Processor"; "" where the system does not tell
std::string build_type();      // "Release", "Debug"

}  // namespace weir::command
