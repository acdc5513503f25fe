#pragma once

#include <string>

#include <weir/scheduler/machine/topology.hpp>
#include "bench/weir/explain/observed_run.hpp"

namespace weir::program {

// Reads a CSV of observations, as written by `weir matmul --out`, or a trace of weir's tracer. A file that begins with
// a brace is read as JSON. Throws bad_input naming file and place for a file that is neither, has no rows, or names
// cores that `cores` does not have. `progress`: show a progress bar on a terminal.
observed_run read_run(const std::string& path, const topology& cores, bool progress);

}  // namespace weir::program
