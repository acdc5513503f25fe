#include "bench/support/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weir::program {

std::string table_text(const std::vector<std::vector<std::string>>& lines, const std::string& indent) {
  std::vector<std::size_t> wide(lines.front().size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) wide[i] = std::max(wide[i], line[i].size());
  std::string text;
  for (const auto& line : lines) {
    text += fmt::format("{}{:<{}}", indent, line[0], wide[0]);
    for (std::size_t i = 1; i < line.size(); ++i) text += fmt::format("  {:>{}}", line[i], wide[i]);
    text += "\n";
  }
  return text;
}

}  // namespace weir::program
