#include "bench/rivals/saturation_aware.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "bench/rivals/core_dealing.hpp"
#include "bench/rivals/measured_load.hpp"

namespace weir::rivals {
namespace {

constexpr std::uint64_t trusted_from = 5;  // invocations
constexpr int step_while_warming = 4;      // cores a cycle
constexpr double headroom = 0.2;
constexpr std::size_t no_stage = std::numeric_limits<std::size_t>::max();

// One cycle of the rule.
class cycle {
 public:
  cycle(const system_view& view, core_counts counts)
      : view_(view), counts_(std::move(counts)), load_(measured_load(view)) {
    for (std::size_t i = 0; i < load_.size(); ++i) {
      if (view.components[i].runs_inline || view.components[i].visits <= 0) continue;
      owners_.push_back(i);
      if (!is_trusted(i)) is_warming_ = true;
    }
  }

  core_counts run() {
    const std::vector<int> sustained = wanted(0);
    std::vector<int> targets = wanted(headroom);
    if (const std::size_t b = bottleneck(); b != no_stage && is_trusted(b))
      targets[b] = std::max(targets[b], cores_for(b, second_slowest_rate() * (1 + headroom)));
    for (std::size_t k = owners_.size(); k-- > 0;) grow(owners_[k], targets[owners_[k]], sustained);
    return counts_;
  }

 private:
  bool is_trusted(std::size_t i) const {
    return view_.components[i].invocations >= trusted_from && std::isfinite(load_[i]);
  }
  bool waits(std::size_t i) const { return view_.components[i].queue_length > 0; }
  int& cores(std::size_t i) { return counts_.components[i].cores; }
  int cores(std::size_t i) const { return counts_.components[i].cores; }
  // Records a second that enter the network, as far as this component can carry them.
  double rate(std::size_t i) const {
    return load_[i] > 0 ? cores(i) / load_[i] : std::numeric_limits<double>::infinity();
  }

  std::vector<double> rates() const {
    std::vector<double> all;
    for (const std::size_t i : owners_)
      if (is_trusted(i)) all.push_back(rate(i));
    std::sort(all.begin(), all.end());
    return all;
  }
  double second_slowest_rate() const {
    const std::vector<double> all = rates();
    return all.empty() ? 0 : all[std::min<std::size_t>(1, all.size() - 1)];
  }
  int cores_for(std::size_t i, double records_per_second) const {
    const core_bounds may = bounds_of(view_.components[i], view_.cores.size());
    const double cores = std::min(std::ceil(records_per_second * load_[i] * (1 - 1e-12)), 1.0 * may.upper);
    return std::clamp(static_cast<int>(cores), may.lower, may.upper);
  }
  // Cores with which each keeps up with the slowest, and some to spare.
  std::vector<int> wanted(double spare) const {
    const std::vector<double> all = rates();
    std::vector<int> result(load_.size(), 0);
    for (const std::size_t i : owners_)
      result[i] = is_trusted(i) && std::isfinite(all.front()) ? cores_for(i, all.front() * (1 + spare)) : cores(i) + 1;
    return result;
  }
  bool is_behind(std::size_t from, std::size_t to) const {
    if (view_.links.empty()) return to == from + 1;
    return std::any_of(view_.links.begin(), view_.links.end(), [&](const link& l) {
      return l.from == static_cast<int>(from) && l.to == static_cast<int>(to) && l.records > 0;
    });
  }
  // It has records waiting, while none behind it has.
  bool is_cliff(std::size_t i) const {
    return waits(i) && std::none_of(owners_.begin(), owners_.end(),
                                    [&](std::size_t next) { return is_behind(i, next) && waits(next); });
  }
  std::size_t bottleneck() const {
    for (std::size_t k = owners_.size(); k-- > 0;)
      if (is_cliff(owners_[k])) return owners_[k];
    std::size_t slowest = no_stage;
    for (const std::size_t i : owners_)
      if (is_trusted(i) && (slowest == no_stage || rate(i) < rate(slowest))) slowest = i;
    return slowest;
  }

  int idle_cores() const {
    int left = view_.cores.size() - counts_.shared;
    for (const core_counts::entry& e : counts_.components) left -= e.cores;
    return left;
  }
  // Takes a core from the component with most more than it needs.
  bool take_one(std::size_t for_whom, const std::vector<int>& sustained) {
    std::size_t giver = no_stage;
    for (const std::size_t i : owners_)
      if (i != for_whom && is_trusted(i) && !is_cliff(i) && cores(i) > sustained[i] &&
          (giver == no_stage || cores(i) - sustained[i] > cores(giver) - sustained[giver]))
        giver = i;
    if (giver != no_stage) --cores(giver);
    return giver != no_stage;
  }
  void grow(std::size_t i, int target, const std::vector<int>& sustained) {
    int steps = is_trusted(i) ? (is_warming_ ? step_while_warming : view_.cores.size()) : waits(i) ? 1 : 0;
    const int upper = bounds_of(view_.components[i], view_.cores.size()).upper;
    for (; steps > 0 && waits(i) && cores(i) < std::min(target, upper); --steps) {
      if (idle_cores() <= 0 && !take_one(i, sustained)) return;
      ++cores(i);
    }
  }

  const system_view& view_;
  core_counts counts_;
  const std::vector<double> load_;
  std::vector<std::size_t> owners_;
  bool is_warming_ = false;
};

// Whether each has the least number of cores. With fewer cores than components they shared all, and no rate tells what
// a member needs.
bool all_have(const core_counts& now, const core_counts& least) {
  return std::ranges::equal(now.components, least.components,
                            [](const auto& has, const auto& needs) { return has.cores >= needs.cores; });
}

}  // namespace

allotment saturation_aware::decide(const system_view& view) const {
  const int cores = view.cores.size();
  core_counts counts;
  int least = 0;
  for (const component_view& c : view.components) {
    counts.components.push_back({c.runs_inline ? 0 : bounds_of(c, cores).lower, 1});
    least += counts.components.back().cores;
  }
  if (least > cores) return place(equal_start(view), view);
  if (core_counts now = present_counts(view); !view.current.components.empty() && all_have(now, counts))
    counts = cycle(view, std::move(now)).run();
  return place(completed(std::move(counts), view), view);
}

}  // namespace weir::rivals
