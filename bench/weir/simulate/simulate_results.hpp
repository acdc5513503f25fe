#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/weir/simulate/simulate_options.hpp"
#include "scheduler/simulate/simulated_run.hpp"

namespace weir::program {

// One policy with one seed, compared with the best possible for the same records.
struct simulated_row {
  std::string policy;
  std::uint64_t seed = 0;
  simulation::simulated_result result;
  // How much better it is than each, by the objective (simulation::advantage).
  double over_clairvoyant = 0, over_best_fixed = 0;
};

// One policy over all seeds.
struct simulated_summary {
  std::string policy;
  double throughput = 0;                                    // geometric mean, records a second
  double over_clairvoyant = 0, least_over_clairvoyant = 0;  // geometric mean and minimum
  double over_best_fixed = 0, least_over_best_fixed = 0;
  double latency_mean = 0, latency_p99 = 0;  // means over the seeds, seconds
  double cores_used = 0;                     // mean
  double moves = 0;                          // mean
};

// Runs every policy of a plan with every seed. Calls `about_to(policy, seed)` before each and `done()` after each.
// Throws bad_input naming the file if a policy cannot be applied to the scenario.
std::vector<simulated_row> simulate(const simulate_plan& plan,
                                    const std::function<void(const std::string&, std::uint64_t)>& about_to,
                                    const std::function<void()>& done);

// In the order of plan.policies.
std::vector<simulated_summary> summaries_of(const simulate_plan& plan, const std::vector<simulated_row>& rows);

}  // namespace weir::program
