#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/weir/common/scenario_values.hpp"
#include "scheduler/simulate/scenario.hpp"

namespace weir::program {

// Parsers for the devices of a scenario's JSON (bench/scenarios/README.md). They throw bad_input naming the place.

// The key `devices` of a scenario.
std::vector<simulation::simulated_device> devices_in(json_object& scenario);

// The key `device` of a component. `folder` contains the files that costs name.
void read_device(json_object& in, const std::filesystem::path& folder, const simulation::scenario& of,
                 simulation::simulated_component& to);

}  // namespace weir::program
