#include "scheduler/place/line_runs.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "scheduler/place/placing_cost.hpp"

namespace weir {
namespace {

// The first slots of the lanes of a run that begins at 0, as core_set::slices cuts them, and the end of the run.
std::vector<int> lane_edges(const line_run& run) {
  std::vector<int> edges(static_cast<std::size_t>(run.lanes) + 1, 0);
  for (int k = 0; k < run.lanes; ++k)
    edges[static_cast<std::size_t>(k) + 1] =
        edges[static_cast<std::size_t>(k)] + run.length / run.lanes + (k < run.length % run.lanes ? 1 : 0);
  return edges;
}

// The cost of steps inside a run of this shape, by its first slot.
std::vector<int> crossing_costs(const line_run& run, const std::vector<int>& steps) {
  const int slots = static_cast<int>(steps.size()), places = slots - run.length + 1;
  std::vector<int> before(steps.size(), 0);  // steps up to a slot
  std::partial_sum(steps.begin(), steps.end(), before.begin());
  std::vector<int> costs(static_cast<std::size_t>(std::max(places, 0)));
  for (std::size_t first = 0; first < costs.size(); ++first)
    costs[first] = (placing_cost::crossing_weight + placing_cost::lane_crossing_weight) *
                   (before[first + static_cast<std::size_t>(run.length) - 1] - before[first]);
  // A step at the edge of a lane is not inside a lane. There are few steps, so each finds the first slots that it
  // spares.
  const std::vector<int> edges = lane_edges(run);
  for (int slot = 1; slot < slots; ++slot) {
    const int step = steps[static_cast<std::size_t>(slot)];
    for (std::size_t k = 1; step > 0 && k + 1 < edges.size(); ++k)
      if (const int first = slot - edges[k]; first >= 0 && first < places)
        costs[static_cast<std::size_t>(first)] -= placing_cost::lane_crossing_weight * step;
  }
  return costs;
}

}  // namespace

int line_problem::idle() const {
  return std::accumulate(runs.begin(), runs.end(), slots(),
                         [](int left, const line_run& r) { return left - r.length; });
}

run_costs::run_costs(const line_problem& problem) {
  std::map<std::pair<int, int>, std::size_t> shapes;
  std::vector<int> lane_at(problem.steps.size() + 1, 0);  // length of the held lane that begins there
  for (const line_run& run : problem.runs) {
    const auto [found, is_new] = shapes.emplace(std::pair(run.length, run.lanes), crossing_.size());
    if (is_new) crossing_.push_back(crossing_costs(run, problem.steps));
    table& t = tables_.emplace_back();
    t.shape = found->second;
    t.all_new = placing_cost::handed_over_weight * run.length;
    if (run.held.empty()) continue;
    for (const auto& [first, length] : run.held_lanes) lane_at[static_cast<std::size_t>(first)] = length;
    t.from = std::max(0, run.held.front() - run.length + 1);
    const int last = std::min(problem.slots() - run.length, run.held.back());
    const std::vector<int> edges = lane_edges(run);
    const bool is_fine = run.lanes == run.length;  // lanes of one core are counted incrementally
    const auto is_single = [&](int slot) { return lane_at[static_cast<std::size_t>(slot)] == 1 ? 1 : 0; };
    auto low = run.held.begin(), high = low;  // bounds of the held slots inside the run
    int singles = 0;
    for (int slot = t.from; is_fine && slot < t.from + run.length; ++slot) singles += is_single(slot);
    for (int first = t.from; first <= last; ++first) {
      while (low != run.held.end() && *low < first) ++low;
      while (high != run.held.end() && *high < first + run.length) ++high;
      const int kept = static_cast<int>(high - low);
      int regrouped = kept - singles;
      for (std::size_t k = 0; !is_fine && k + 1 < edges.size(); ++k)
        if (const int length = edges[k + 1] - edges[k]; lane_at[static_cast<std::size_t>(first + edges[k])] == length)
          regrouped -= length;
      if (is_fine && first < last) singles += is_single(first + run.length) - is_single(first);
      t.changed.push_back(placing_cost::handed_over_weight * (run.length - kept) +
                          placing_cost::regrouped_weight * regrouped);
    }
    for (const auto& [first, length] : run.held_lanes) lane_at[static_cast<std::size_t>(first)] = 0;
  }
}

}  // namespace weir
