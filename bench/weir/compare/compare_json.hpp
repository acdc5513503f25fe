#pragma once

#include <string>
#include <vector>

#include "bench/weir/compare/compare_summary.hpp"

namespace weir::command {

// The comparison for programs, as bench/README.md describes it.
std::string compare_json(const compare_plan& plan, const std::vector<compared_row>& rows,
                         const std::vector<compared_run>& runs);

}  // namespace weir::command
