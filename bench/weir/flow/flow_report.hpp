#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/weir/flow/flow_file.hpp"

namespace weir::program {

// The result of `weir flow`, to be shown. Plain data.
struct flow_result {
  std::string path;
  flow_file file;
  int cores = 0;
  flow_options at;
  std::string where_from;             // "--mapping", "the file", "the search"
  std::string objective;              // of the search; empty: there was none
  bool complete = true;               // the search left nothing out
  std::uint64_t considered = 0;       // mappings, by the search
  std::vector<placed_mapping> found;  // the first is shown in full

  // The network as it is placed in a found mapping.
  network_model network_of(const placed_mapping& one) const {
    return placed_on(file.network, file.alternatives, one.on_device);
  }
};

// The name of a component, or of the network's end `outer` where there is none.
std::string end_name(const network_prediction& of, int component, const char* outer);

// The result for people: tables of components, streams and, after a search, mappings.
std::string flow_text(const flow_result& result);

// The same for programs, as README.md describes it.
std::string flow_json(const flow_result& result);

}  // namespace weir::program
