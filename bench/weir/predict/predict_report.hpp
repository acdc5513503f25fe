#pragma once

#include <string>
#include <vector>

#include "bench/weir/common/predicted_table.hpp"

namespace weir::program {

// The result for people: for each component its model, a row per x and number of cores, and the best number of cores.
std::string predict_text(const std::vector<predicted_component>& components);

// The result for programs, as README.md describes it.
std::string predict_json(const std::vector<predicted_component>& components);

}  // namespace weir::program
