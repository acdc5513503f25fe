#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include <weir/scheduler/view/allotment.hpp>
#include "scheduler/place/placing_cost.hpp"

// The quantities that place() minimises, counted on a whole allotment.
namespace weir::testing {

struct counted_places {
  int crossings = 0;       // steps inside shares
  int lane_crossings = 0;  // the part of them inside lanes
  int handed_over = 0;     // cores whose owner did not have them before
  int regrouped = 0;       // cores that stay with their owner, but in a lane of other cores
  int apart = 0;           // over the links: shares that lie between the two ends

  long long total() const {
    return static_cast<long long>(placing_cost::crossing_weight) * crossings +
           placing_cost::lane_crossing_weight * lane_crossings + placing_cost::handed_over_weight * handed_over +
           placing_cost::regrouped_weight * regrouped + placing_cost::apart_weight * apart;
  }
};

// Steps between the first and the last of `some` cores. REQUIRES: the cores are in view.cores.
inline int steps_inside(const core_set& some, const core_set& all, const std::vector<int>& steps) {
  if (some.empty()) return 0;
  const auto place_of = [&](int core) { return std::lower_bound(all.begin(), all.end(), core) - all.begin(); };
  const auto first = place_of(some[0]), last = place_of(some[some.size() - 1]);
  return std::accumulate(steps.begin() + first + 1, steps.begin() + last + 1, 0);
}

inline void count_change(const share& now, const share& before, counted_places& cost) {
  const int kept = (now.cores & before.cores).size();
  cost.handed_over += now.cores.size() - kept;
  cost.regrouped += kept;
  if (kept == 0) return;
  const std::vector<core_set> lanes = before.cores.slices(before.width);
  for (const core_set& lane : now.cores.slices(now.width))
    if (std::binary_search(lanes.begin(), lanes.end(), lane)) cost.regrouped -= lane.size();
}

// Compares given shares with view.current. A shared group on an owner's core counts for nothing. REQUIRES: check(given,
// view.cores) finds nothing wrong.
inline counted_places cost_of_places(const allotment& given, const system_view& view) {
  const std::vector<int> steps = steps_between(view);
  // A shared group with cores of its own is a further owner, with lanes of one core each.
  const auto shares_of = [&](const allotment& a) {
    std::vector<share> shares = a.components;
    shares.resize(view.components.size());
    shares.push_back(a.shared.empty() || a.shared_host() >= 0 ? share{} : share{a.shared, a.shared.size()});
    return shares;
  };
  const std::vector<share> now = shares_of(given), before = shares_of(view.current);
  counted_places cost;
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

}  // namespace weir::testing
