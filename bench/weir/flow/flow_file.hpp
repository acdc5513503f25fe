#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/predict/mapping.hpp"
#include "scheduler/predict/network_model.hpp"

namespace weir::command {

// How far one invocation may be from what a cost says. Seconds; NaN where nobody knows.
struct cost_spread {
  double seconds = 0, sd = 0;
  double low = 0, high = 0;   // nine in ten are expected in between
  bool extrapolates = false;  // on so many cores it was never observed
};

// What the cost of a component was learnt from.
struct cost_basis {
  std::string words;         // as description::words
  bool alpha_known = false;  // else what further cores bring is assumed
  std::function<cost_spread(int cores)> on;
};

// What a file says of a network and of where it runs. Plain data.
struct flow_file {
  std::string kind;  // "network", "report of a run", "saved models"
  network_model network;
  std::vector<cost_basis> bases;  // by component; none of a network file, which says its costs
  std::optional<mapping> where;
  int cores = 0;    // 0: not said
  double rate = 0;  // records offered a second; 0: not said
};

// Reads a network file (README.md), the JSON of a run (what run_report::json or `weir matmul --json` wrote) or
// saved models, which are a chain in the order of their names. What such a file does not tell is assumed, and
// network.assumed says so. Throws bad_input naming the file, the place in it, what was found and what was expected.
flow_file read_flow(const std::string& path);

}  // namespace weir::command
