#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "scheduler/simulate/cost_truth.hpp"
#include "scheduler/simulate/scenario.hpp"

namespace weir::program {

// Parsers for parts of a scenario's JSON (bench/scenarios/README.md). Both throw bad_input naming `place`.

// A cost: a law, a table, a saved model or recorded invocations. `folder` contains the files that it names.
simulation::cost_truth cost_of(const nlohmann::json& value, const std::string& place,
                               const std::filesystem::path& folder);

// A distribution of x: a number, or an object with one of uniform, log_uniform, exponential, values.
simulation::input_range range_of(const nlohmann::json& value, const std::string& place);

}  // namespace weir::program
