#include "bench/rivals/ds2.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "bench/rivals/core_dealing.hpp"
#include "bench/rivals/measured_load.hpp"

namespace weir::rivals {
namespace {

// A receiver of tasks: an owner, or the whole group.
struct item {
  int component = -1;  // -1: the shared group
  double load = 0;
};

core_counts dealt(const system_view& view, const std::vector<double>& load, double rate) {
  const std::vector<bool> shares = members_of_group(view, load);
  const int present = view.cores.size();
  std::vector<item> items;
  std::vector<core_bounds> bounds;
  item group;
  int members = 0, minima = 0;
  for (std::size_t i = 0; i < load.size(); ++i) {
    if (shares[i]) {
      group.load += load[i];
      ++members;
      continue;
    }
    items.push_back({static_cast<int>(i), load[i]});
    bounds.push_back(bounds_of(view.components[i], present));
    minima += bounds.back().lower;
  }
  if (members > 0 && minima < present) {  // otherwise the group is on an owner's core
    items.push_back(group);
    bounds.push_back({1, members});
  }
  const auto seconds = [&](int k, int cores) { return items[static_cast<std::size_t>(k)].load / cores; };
  const std::vector<int> most = leximin(bounds, present, seconds);
  double bottleneck = rate > 0 ? 1 / rate : 0;
  for (std::size_t k = 0; k < items.size(); ++k)
    bottleneck = std::max(bottleneck, seconds(static_cast<int>(k), most[k]));

  core_counts counts;
  counts.components.resize(load.size());
  for (std::size_t k = 0; k < items.size(); ++k) {
    // Rounding must not add a task to a load that is a multiple of the bottleneck.
    const double tasks = bottleneck > 0 ? std::ceil(items[k].load / bottleneck * (1 - 1e-12)) : 0;
    const int cores = std::clamp(static_cast<int>(tasks), bounds[k].lower, most[k]);
    if (items[k].component < 0)
      counts.shared = cores;
    else
      counts.components[static_cast<std::size_t>(items[k].component)].cores = cores;
  }
  return completed(std::move(counts), view);
}

}  // namespace

ds2::ds2(double rate) : rate_(rate) {
  if (!(rate >= 0)) throw std::invalid_argument("ds2: the rate is " + std::to_string(rate) + "; it must be 0 or more");
}

allotment ds2::decide(const system_view& view) const {
  const std::vector<double> load = measured_load(view);
  return place(all_measured(load) ? dealt(view, load, rate_) : equal_start(view), view);
}

assessment ds2::assess(const system_view& view, const allotment& given) const {
  assessment result = allocation_rule::assess(view, given);
  result.cost = linear_bottleneck(measured_load(view), given);
  return result;
}

}  // namespace weir::rivals
