#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/weir/common/scenario_values.hpp"
#include "scheduler/simulate/scenario.hpp"

namespace weir::program {

// Parsers for the keys "phases" and "slow_downs" of a scenario (bench/scenarios/README.md). `index` holds the
// components by name. All throw bad_input naming the place. REQUIRES: the scenario has its components, links and cores.

void read_phases(const nlohmann::json& value, const std::string& place, const std::map<std::string, int>& index,
                 simulation::scenario& to);

void read_slow_downs(json_object& scenario, const std::map<std::string, int>& index, simulation::scenario& to);

// A link as an object: from, to, records.
link link_in(json_object& in, const std::map<std::string, int>& index);

}  // namespace weir::program
