#pragma once

#include <string>
#include <vector>

#include "bench/weir/common/predicted_table.hpp"

namespace weir::command {

// The result for people: of each component what was learnt, a row for each x and number of cores, and the best number.
std::string predict_text(const std::vector<predicted_component>& components);

// The result for programs, as README.md describes it.
std::string predict_json(const std::vector<predicted_component>& components);

}  // namespace weir::command
