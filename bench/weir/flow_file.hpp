#pragma once

#include <optional>
#include <string>

#include "scheduler/mapping.hpp"
#include "scheduler/network_model.hpp"

namespace weir::command {

// What a file says of a network and of where it runs. Plain data.
struct flow_file {
  std::string kind;  // "network", "report of a run", "saved models"
  network_model network;
  std::optional<mapping> where;
  int cores = 0;    // 0: not said
  double rate = 0;  // records offered a second; 0: not said
};

// Reads a network file (bench/README.md), the JSON of a run (what run_report::json or `weir matmul --json` wrote) or
// saved models, which are a chain in the order of their names. What such a file does not tell is assumed, and
// network.assumed says so. Throws bad_input naming the file, the place in it, what was found and what was expected.
flow_file read_flow(const std::string& path);

}  // namespace weir::command
