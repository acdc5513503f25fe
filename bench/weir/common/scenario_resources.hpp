#pragma once

#include <string>
#include <vector>

#include "bench/weir/common/scenario_values.hpp"
#include "scheduler/simulate/scenario.hpp"

namespace weir::program {

// Parsers for resources and what components need of them, in scenarios and files of networks
// (bench/scenarios/README.md). They throw bad_input naming the place.

std::vector<simulation::simulated_resource> resources_of(const nlohmann::json& value, const std::string& place);

// The key `needs` of a component; none without it. `resources`: the names in the file.
std::vector<simulation::simulated_component::need> needs_in(json_object& component,
                                                            const std::vector<std::string>& resources);

}  // namespace weir::program
