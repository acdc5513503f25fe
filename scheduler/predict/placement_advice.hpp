#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/predict/cluster_flow.hpp"

namespace weir {

// Which components to put on which machine before a run, so that more records a second can enter. Plain data.
struct placement_advice {
  // Components that go to one machine together. Each step is predicted with those before it.
  struct step {
    std::vector<std::size_t> components;  // in network order
    int machine = 0;
    double throughput = 0;  // records a second that can enter, after it
  };

  std::vector<int> at;       // the places then
  std::vector<step> steps;   // empty: no other places are worth it
  double now = 0, then = 0;  // records a second that can enter

  double gain() const { return now > 0 ? then / now - 1 : 0; }
};

// Looks for better places of the components that are on one machine and no device; the others stay. It is a local
// search. It starts from the places given, from all on machine 0 and from parts of the chain with equal work on each
// machine. It moves neighbours in the network to one machine as long as that helps. Then it takes back each move that
// the throughput does not need. The result is predicted by predict_on_machines, and proposed only if it gains
// `least_gain` or more: 0.05 is a twentieth, since predictions are seldom better.
//
// Throws std::invalid_argument as predict_on_machines does; but if a machine has too few cores for the places given,
// `now` is 0 and others are looked for.
placement_advice advise_placement(const placed_network& of, const flow_options& options = {}, double least_gain = 0.05);

// A step in words: "render and encode at 1: 41.2 records/s".
std::string to_string(const placement_advice::step& step, const network_model& network);

}  // namespace weir
