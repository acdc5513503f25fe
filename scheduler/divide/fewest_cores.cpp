#include "scheduler/divide/fewest_cores.hpp"

#include <algorithm>

#include "scheduler/divide/latency.hpp"
#include "scheduler/expect/demand_cost.hpp"

namespace weir {
namespace {

// The cores without which require_minima() throws.
int least_cores(const system_view& view) {
  int sum = 0;
  for (const component_view& c : view.components)
    if (c.min_cores >= 2 && !is_outside(c) && !c.runs_inline) sum += c.min_cores;
  return std::max(1, sum);
}

}  // namespace

core_counts fewest_cores_counts(const system_view& view, const stream_demand& asked,
                                const throughput_options& options) {
  if (view.components.empty()) return {};
  core_counts best = latency_counts(view, asked.rate, options);
  const record_paths paths(view);
  std::vector<component_times> times = times_of(view);
  const auto meets = [&](const core_counts& given) {
    const demand_check checked = check_demand(view, given, asked, paths, times);
    return checked.load <= busiest && checked.p99 <= chosen_part_of_p99 * asked.p99.count();
  };
  if (!meets(best)) return best;
  system_view smaller = view;
  int too_few = least_cores(view) - 1, enough = view.cores.size();
  while (enough - too_few > 1) {
    const int tried = too_few + (enough - too_few) / 2;
    smaller.cores = view.cores.part(0, tried);
    core_counts given = latency_counts(smaller, asked.rate, options);
    if (meets(given))
      best = std::move(given), enough = tried;
    else
      too_few = tried;
  }
  return best;
}

}  // namespace weir
