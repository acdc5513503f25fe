#include "scheduler/place/placing_cost.hpp"

#include <algorithm>

namespace weir {
std::vector<int> steps_between(const system_view& view) {
  std::vector<int> steps(static_cast<std::size_t>(view.cores.size()), 0);
  if (!view.machine) return steps;
  for (int i = 1; i < view.cores.size(); ++i) {
    const topology::core &a = (*view.machine)[view.cores[i - 1]], &b = (*view.machine)[view.cores[i]];
    steps[static_cast<std::size_t>(i)] = (a.l3 != b.l3) + (a.numa_node != b.numa_node) + (a.package != b.package);
  }
  return steps;
}

std::vector<std::pair<int, int>> stream_neighbours(const system_view& view) {
  std::vector<std::pair<int, int>> pairs;
  const int n = static_cast<int>(view.components.size());
  if (view.links.empty())
    for (int i = 1; i < n; ++i) pairs.emplace_back(i - 1, i);
  for (const link& l : view.links)
    if (l.from >= 0 && l.to >= 0 && l.from != l.to) pairs.push_back(std::minmax(l.from, l.to));
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace weir
