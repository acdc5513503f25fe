#include "scheduler/leximin.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace weir {
namespace {

// What counts as faster: more than what rounding makes of equal numbers.
constexpr double rounding = 1e-9;

}  // namespace

std::vector<int> leximin(const std::vector<core_bounds>& items, int cores,
                         const std::function<double(int item, int cores)>& seconds, served whom) {
  std::vector<int> given(items.size());
  std::priority_queue<std::pair<double, int>> slowest;
  for (std::size_t i = 0; i < items.size(); ++i) {
    given[i] = items[i].lower;
    cores -= items[i].lower;
    slowest.emplace(seconds(static_cast<int>(i), given[i]), static_cast<int>(i));
  }
  while (cores > 0 && !slowest.empty()) {
    const auto [now, item] = slowest.top();
    slowest.pop();
    const auto i = static_cast<std::size_t>(item);
    const int most = std::min(items[i].upper, given[i] + std::min(cores, items[i].upper - given[i]));
    bool helped = false;
    for (int c = given[i] + 1; c <= most && !helped; ++c) {
      const double then = seconds(item, c);
      if (then >= now * (1 - rounding)) continue;
      cores -= c - given[i];
      given[i] = c;
      slowest.emplace(then, item);
      helped = true;
    }
    if (!helped && whom == served::slowest_only) break;
  }
  return given;
}

}  // namespace weir
