#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/weir/common/scenario_values.hpp"
#include "scheduler/predict/device_placement.hpp"

namespace weir::program {

// Parsers for a component of a network file (README.md). All throw bad_input naming the place.

inline constexpr std::int64_t most_cores_of_flow = 65536;  // that a file may name

// Refuses a cost by its key unless it is a time that can be computed with, on every number of cores. Powers of two
// stand for those between, since the laws and tables of files do not turn back between them.
void require_time(const json_object& in, const char* key, const std::function<double(int)>& seconds, int last);

// The index of a component, or -1 if the name under this key is that of the network's own end, "input" or "output".
int end_of(json_object& in, const char* key, const char* end, const std::vector<std::string>& names);

// A component, and its second implementation where it has one; that is of component 0.
struct read_component {
  network_model::component made;
  std::optional<device_alternative> on;
};

// A component, but for its gain and machine. `network` has the devices and resources of the file. `folder` contains
// the files that costs name.
read_component component_from(json_object& in, const network_model& network, const std::filesystem::path& folder);

}  // namespace weir::program
