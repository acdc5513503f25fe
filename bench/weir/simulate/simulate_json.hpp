#pragma once

#include <string>
#include <vector>

#include "bench/weir/simulate/simulate_results.hpp"

namespace weir::command {

// The result for programs, as bench/scenarios/README.md describes it. The same plan gives the same text to the byte.
std::string simulate_json(const simulate_plan& plan, const std::vector<simulated_row>& rows);

}  // namespace weir::command
