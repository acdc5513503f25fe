#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scheduler/predict/placement_advice.hpp"

namespace weir::program {

// The components to put on each machine, as weir flow and weir simulate propose it: lines for people; and for programs
// as bench/weir/flow/README.md says, null where nothing is proposed.
std::string advice_text(const placement_advice& advice, const network_model& network);
nlohmann::json advice_json(const placement_advice& advice, const network_model& network);

}  // namespace weir::program
