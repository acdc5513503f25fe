#pragma once

#include <vector>

#include "scheduler/predict/cluster_flow.hpp"
#include "scheduler/simulate/scenario.hpp"

namespace weir::simulation {

// A scenario whose components are on machines, each with a controller of its own. Plain data.
struct placed_scenario {
  scenario network;           // its cores and machine do not count
  std::vector<double> bytes;  // of a record on each of network.all_links(); empty: 0
  std::vector<int> at;        // by component: its machine, or `everywhere`; empty: all on machine 0
  cluster machines;

  // Throws std::invalid_argument as network.validate() and placed_network::validate() do, and where the scenario
  // changes routing or cores in phases.
  void validate() const;
};

// The scenario that is simulated: with a component outside the cores for everything that carries records from machine
// to machine (cluster_plan). Predictions count with the same cost of a record there and the same number under way.
// REQUIRES: of.validate() passed.
scenario spread_over_machines(const placed_scenario& of);

// The network for predictions: mean times over the inputs and phases, with their variation.
placed_network model_of(const placed_scenario& of);

}  // namespace weir::simulation
