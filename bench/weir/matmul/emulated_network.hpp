#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weir/scheduler/view/allotment.hpp>
#include "bench/weir/runs/workload.hpp"
#include "components/emulated.hpp"

namespace weir::program {

// A chain of components that sleep for their true cost, so that cores can be redistributed that the machine does not
// have. It also computes from the truth how good an allotment is, without model or scheduler.

struct emulated_stage {
  std::string name;
  components::truth cost;  // linear in x, so the best allotment does not depend on x
};

const std::vector<emulated_stage>& emulated_stages();
std::vector<std::string> emulated_names();

// A record for each of `inputs`. Each box runs at most `max_width` invocations concurrently.
workload emulated_workload(const std::vector<std::int64_t>& inputs, int max_width);

// True seconds per record of the slowest component, for records of predictor x under an allotment.
double true_bottleneck(const allotment& given, double x);

// The same for equal shares (one lane each), and the least of all allotments in which every component owns cores.
// REQUIRES: at least as many cores as stages.
double equal_bottleneck(int cores, double x);
double best_bottleneck(int cores, int max_width, double x);

}  // namespace weir::program
