#pragma once

#include <string>
#include <vector>

#include "bench/weir/compare/timeline.hpp"

namespace weir::command {

// A self-contained picture. Each timeline is a row: the cores of each component, stacked, and the records per second,
// observed and predicted. All rows have the same scales. REQUIRES: timelines not empty.
std::string timeline_svg(const std::string& title, const std::string& subtitle, const std::vector<timeline>& rows);

}  // namespace weir::command
