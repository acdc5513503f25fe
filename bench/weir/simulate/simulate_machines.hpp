#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/weir/simulate/simulate_options.hpp"
#include "scheduler/predict/placement_advice.hpp"
#include "scheduler/simulate/simulated_run.hpp"

namespace weir::program {

// One policy on a number of machines, and the prediction. Plain data.
struct machines_row {
  int machines = 0, cores = 0;  // cores of all
  std::string policy;
  std::uint64_t seed = 0;
  simulation::simulated_result result;
  double predicted = 0;    // records a second that can enter, by weir flow's model
  std::string bottleneck;  // by it
  placement_advice advice;
};

// Simulates every policy for every seed on every number of machines. Where the number is not the scenario's, each has
// the cores of its first machine. Calls `about_to` before each run and `done` after it. After Ctrl-C it returns the
// runs that were finished. Throws bad_input as simulate().
std::vector<machines_row> simulate_machines(const simulate_plan& plan,
                                            const std::function<void(const std::string&)>& about_to,
                                            const std::function<void()>& done);

// The rows for people, and for programs (bench/scenarios/README.md).
std::string machines_text(const simulate_plan& plan, const std::vector<machines_row>& rows);
std::string machines_json(const simulate_plan& plan, const std::vector<machines_row>& rows);

}  // namespace weir::program
