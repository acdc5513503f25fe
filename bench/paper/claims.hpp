#pragma once

#include <string>
#include <vector>

#include "bench/paper/kernel_result.hpp"

namespace weir::paper {

// Markdown tables, one per claim of Verstraaten & Scholz, with one row per kernel. Each table is preceded by the rule
// for whether the numbers agree with the claim. Large x is the upper half of the range, small x its lowest fifth.
// REQUIRES: results not empty.
std::string claims_of(const std::vector<kernel_result>& results);

}  // namespace weir::paper
