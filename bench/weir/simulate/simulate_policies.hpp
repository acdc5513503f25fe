#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <weir/scheduler/view/objective.hpp>
#include "scheduler/control/controller.hpp"
#include "scheduler/simulate/hindsight.hpp"
#include "scheduler/simulate/simulated_run.hpp"

namespace weir::program {

// The policies that can be simulated. Two know the whole run in advance, and hindsight.hpp runs them. Each other policy
// is one row of a table in simulate_policies.cpp: a rule, a controller's options, an estimator.
struct known_policy {
  std::string name;
  bool is_among_all;  // part of "all"; the others must be named
};
std::vector<known_policy> known_policies();  // in the order of the output

// The choices of a user for weir's own policies: adaptive, adaptive-blind, adaptive-shuffled and best-fixed-by-model.
// The others are defined by their own rule, constants and estimator, and keep these. Plain data.
struct own_settings {
  objective goal = objective::throughput;
  std::string estimator = "weir";
  std::map<std::string, std::shared_ptr<const weir::estimator>> models;  // to start from, by component
  controller_options control;
};

// Simulates a policy in a scenario, with `rows` rows of a timeline. Throws what simulation::run throws. REQUIRES: one
// of the names.
simulation::simulated_result run_policy(const std::string& name, const own_settings& own,
                                        const simulation::scenario& of, std::uint64_t seed,
                                        const simulation::hindsight& known, int rows);

}  // namespace weir::program
