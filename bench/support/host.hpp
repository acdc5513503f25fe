#pragma once

#include <string>

#include <weir/machine/machine.hpp>

namespace weir::program {

// The machine named by an option: "local", or an hwloc synthetic topology such as "package:4 core:12 pu:1". Throws
// bad_input naming any other text.
machine parse_machine(const std::string& text);

// The number of cores on which this thread may run. At least one.
int usable_cores();

// A measurement prints these to say where it was made.
std::string processor_name();  // "Intel(R) Xeon(R) Processor"; "" where the system does not tell
std::string build_type();      // "Release", "Debug"

}  // namespace weir::program
