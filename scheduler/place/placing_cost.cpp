#include "scheduler/place/placing_cost.hpp"

#include <algorithm>
#include <numeric>

namespace weir {
namespace {

// Steps between the first and the last of some cores. REQUIRES: cores that are in view.cores.
int steps_inside(const core_set& some, const core_set& all, const std::vector<int>& steps) {
  if (some.empty()) return 0;
  const auto place_of = [&](int core) { return std::lower_bound(all.begin(), all.end(), core) - all.begin(); };
  const auto first = place_of(some[0]), last = place_of(some[some.size() - 1]);
  return std::accumulate(steps.begin() + first + 1, steps.begin() + last + 1, 0);
}

void count_change(const share& now, const share& before, placing_cost& cost) {
  const int kept = (now.cores & before.cores).size();
  cost.handed_over += now.cores.size() - kept;
  cost.regrouped += kept;
  if (kept == 0) return;
  const std::vector<core_set> lanes = before.cores.slices(before.width);
  for (const core_set& lane : now.cores.slices(now.width))
    if (std::binary_search(lanes.begin(), lanes.end(), lane)) cost.regrouped -= lane.size();
}

}  // namespace

placing_cost cost_of_places(const allotment& given, const system_view& view) {
  const std::vector<int> steps = steps_between(view);
  // The shared group with cores of its own is one more owner, of lanes of one core each.
  const auto shares_of = [&](const allotment& a) {
    std::vector<share> shares = a.components;
    shares.resize(view.components.size());
    shares.push_back(a.shared.empty() || a.shared_host() >= 0 ? share{} : share{a.shared, a.shared.size()});
    return shares;
  };
  const std::vector<share> now = shares_of(given), before = shares_of(view.current);
  placing_cost cost;
  std::vector<int> firsts;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].cores.empty()) continue;
    firsts.push_back(now[i].cores[0]);
    cost.crossings += steps_inside(now[i].cores, view.cores, steps);
    for (const core_set& lane : now[i].cores.slices(now[i].width))
      cost.lane_crossings += steps_inside(lane, view.cores, steps);
    count_change(now[i], before[i], cost);
  }
  for (const auto& [a, b] : stream_neighbours(view)) {
    const core_set &one = now[static_cast<std::size_t>(a)].cores, &other = now[static_cast<std::size_t>(b)].cores;
    if (one.empty() || other.empty()) continue;
    const auto [low, high] = std::minmax({one[0], other[0]});
    cost.apart += static_cast<int>(
        std::count_if(firsts.begin(), firsts.end(), [low = low, high = high](int f) { return low < f && f < high; }));
  }
  return cost;
}

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
