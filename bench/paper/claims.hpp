#pragma once

#include <string>
#include <vector>

#include "bench/paper/kernel_result.hpp"

namespace weir::paper {

// Markdown tables: a claim of Verstraaten & Scholz each, a row a kernel, and whether the numbers agree by a rule that
// stands above the table. Large x is the upper half of the range, small x its lowest fifth. REQUIRES: results not
// empty.
std::string claims_of(const std::vector<kernel_result>& results);

}  // namespace weir::paper
