#pragma once

#include <string>
#include <vector>

#include "bench/weir/runs/timed_run.hpp"

namespace weir::program {

// Every observation of the runs, in the order of the runs and of learning. The header line is
// `component,x,cores,seconds,start,cpu_seconds,width,core_set,queue,after_move,switches,delayed_seconds`. Numbers are
// written so that they read back as the same double. `start` counts from the beginning of the first run.
std::string observations_csv(const std::vector<timed_run>& runs);

}  // namespace weir::program
