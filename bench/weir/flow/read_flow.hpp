#pragma once

#include <string>

#include "bench/weir/flow/flow_file.hpp"

namespace weir::program {

// Reads a network file (README.md), the JSON of a run (by run_report::json or `weir matmul --json`), or saved models,
// which form a chain in the order of their names. Information that is missing is assumed, and network.assumed lists it.
// Throws bad_input naming the file, the place in it, what was found and what was expected.
flow_file read_flow(const std::string& path);

}  // namespace weir::program
