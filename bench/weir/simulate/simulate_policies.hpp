#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/simulate/hindsight.hpp"
#include "scheduler/simulate/simulated_run.hpp"

namespace weir::command {

// The policies that can be simulated. Two know the whole run in advance, and hindsight.hpp runs them. Each other policy
// is one row of a table in simulate_policies.cpp: a rule, a controller's options, an estimator.
struct known_policy {
  std::string name;
  bool is_among_all;  // part of "all"; the others must be named
};
std::vector<known_policy> known_policies();  // in the order of the output

// Simulates a policy in a scenario, with `rows` rows of a timeline. Throws what simulation::run throws. REQUIRES: one
// of the names.
simulation::simulated_result run_policy(const std::string& name, const simulation::scenario& of, std::uint64_t seed,
                                        const simulation::hindsight& known, int rows);

}  // namespace weir::command
