#pragma once

#include <string>

#include <weir/scheduler/machine/topology.hpp>
#include "bench/weir/explain/observed_run.hpp"

namespace weir::program {

// Reads the invocations of a trace by weir's tracer (<weir/engine/trace.hpp>): complete events with x, cores and width
// in their args; the track is their first core. A component's first invocation after each of its moves is marked.
// Invocations on the caller's threads have no core. Throws bad_input naming the file and the event.
observed_run read_trace(const std::string& path, const topology& cores);

}  // namespace weir::program
