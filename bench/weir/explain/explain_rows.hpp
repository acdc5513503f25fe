#pragma once

#include <string>

#include "bench/weir/explain/observed_run.hpp"
#include "scheduler/machine/topology.hpp"

namespace weir::command {

// Reads a CSV of observations as `weir matmul --out` writes it, or a trace as weir's tracer writes it: JSON is what
// begins with a brace. Throws bad_input naming file and place for a file that is neither, has no rows, or names cores
// that `cores` does not have. `progress`: a bar on a terminal.
observed_run read_run(const std::string& path, const topology& cores, bool progress);

}  // namespace weir::command
