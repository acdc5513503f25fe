#pragma once

#include <string>
#include <vector>

#include "bench/weir/common/predicted_table.hpp"

namespace weir::command {

// The result for programs, as bench/README.md describes it.
std::string predict_json(const std::vector<predicted_component>& components);

}  // namespace weir::command
