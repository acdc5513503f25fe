#pragma once

#include <string>

#include "bench/weir/flow/flow_file.hpp"
#include "scheduler/predict/placement_advice.hpp"

namespace weir::program {

// The result of `weir flow` for a network on several machines, to be shown. Plain data.
struct machines_result {
  std::string path, kind;
  placed_network placed;
  flow_options at;
  cluster_prediction predicted;
  placement_advice advice;
};

// Predicts the network of a file on machines, and looks for better places. Throws std::invalid_argument as
// predict_on_machines does. REQUIRES: file.machines.
machines_result flow_on_machines(const std::string& path, const flow_file& file, const flow_options& at);

// A network on machines, as flow_file and scenarios give it.
placed_network placed_network_of(const flow_file& file);

// The result for people, and for programs (README.md).
std::string machines_text(const machines_result& result);
std::string machines_json(const machines_result& result);

}  // namespace weir::program
