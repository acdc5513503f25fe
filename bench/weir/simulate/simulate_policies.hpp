#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/simulate/hindsight.hpp"
#include "scheduler/simulate/simulated_run.hpp"

namespace weir::command {

// The policies that a simulation can be asked for. Two were told everything before, and hindsight.hpp runs them; each
// of the others is one row of a table in simulate_policies.cpp: a rule, a controller's options, an estimator.
struct known_policy {
  std::string name;
  bool is_among_all;  // what "all" means; the rest is for whoever asks for it by name
};
std::vector<known_policy> known_policies();  // in the order in which they are shown

// What a policy does in a scenario, with so many rows of a timeline. Throws what simulation::run throws. REQUIRES: one
// of the names.
simulation::simulated_result run_policy(const std::string& name, const simulation::scenario& of, std::uint64_t seed,
                                        const simulation::hindsight& known, int rows);

}  // namespace weir::command
