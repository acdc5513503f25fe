#pragma once

#include <string>
#include <vector>

namespace weir::program {

// A table for people: lines of as many cells as the first, which has the names of the columns. Columns are as wide as
// their widest cell, the first to the left and the others to the right. Each line begins with `indent`.
std::string table_text(const std::vector<std::vector<std::string>>& lines, const std::string& indent = "");

}  // namespace weir::program
