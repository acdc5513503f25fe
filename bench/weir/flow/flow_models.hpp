#pragma once

#include <map>
#include <string>
#include <vector>

#include <weir/options/saved_model.hpp>
#include "bench/weir/flow/flow_file.hpp"

namespace weir::program {

// Saved models as a chain in the order of their names; `path` is for messages. Throws bad_input where there is none,
// and std::invalid_argument for one that cannot be restored or has seen nothing.
flow_file flow_of_models(const std::string& path, const std::map<std::string, saved_model>& models);

// The saved models of an earlier run. Plain data.
struct flow_run {
  std::string name;  // of its file
  flow_file file;
};

// The runs of a folder, as read_runs() takes it, in the order of their names. Throws bad_input naming the file.
std::vector<flow_run> read_flow_runs(const std::string& folder);

}  // namespace weir::program
