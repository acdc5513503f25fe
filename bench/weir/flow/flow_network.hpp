#pragma once

#include <filesystem>

#include "bench/weir/common/scenario_values.hpp"
#include "bench/weir/flow/flow_file.hpp"

namespace weir::program {

// Reads a network file (README.md). `folder` contains the files that costs name. Throws bad_input naming the place.
flow_file flow_of_network(json_object& in, const std::filesystem::path& folder);

}  // namespace weir::program
