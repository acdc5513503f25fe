#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/weir/matmul/workload.hpp"
#include "components/emulated.hpp"
#include "scheduler/view/allotment.hpp"

namespace weir::command {

// A chain of components that sleep for what a truth says they cost, so that cores can be redistributed that the machine
// does not have; and the arithmetic on the truth that says how good an allotment is, which asks neither model nor
// scheduler.

struct emulated_stage {
  std::string name;
  components::truth cost;  // linear in x: the best allotment depends on no x
};

const std::vector<emulated_stage>& emulated_stages();
std::vector<std::string> emulated_names();

// Each box runs at most `max_width` invocations at once.
workload emulated_workload(int max_width);

// Seconds of the slowest component for each record of predictor x under an allotment, in truth.
double true_bottleneck(const allotment& given, double x);

// The same for equal shares (one lane each), and the least of all allotments that give every component cores of its
// own. REQUIRES: at least as many cores as stages.
double equal_bottleneck(int cores, double x);
double best_bottleneck(int cores, int max_width, double x);

}  // namespace weir::command
