#pragma once

#include <string>

#include "bench/weir/explain/observed_run.hpp"
#include "scheduler/machine/topology.hpp"

namespace weir::command {

// Reads the invocations of a trace that weir's tracer wrote (runtime/engine/trace.hpp): complete events with x, cores
// and width in their args, whose track is their first core; a component's first invocation after each of its moves is
// marked. Those on threads of the caller's have no core. Throws bad_input naming the file and the event.
observed_run read_trace(const std::string& path, const topology& cores);

}  // namespace weir::command
