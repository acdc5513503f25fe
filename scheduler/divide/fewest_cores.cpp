#include "scheduler/divide/fewest_cores.hpp"

#include <algorithm>
#include <optional>
#include <utility>

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
  const record_paths paths(view);
  std::vector<component_times> times = times_of(view);
  system_view smaller = view;
  std::optional<core_counts> best;
  const int least = least_cores(view);
  int too_few = least - 1, enough = view.cores.size() + 1;
  const auto consider = [&](int cores) {
    smaller.cores = view.cores.part(0, cores);
    core_counts given = latency_counts(smaller, asked.rate, options);
    const demand_check checked = check_demand(view, given, asked, paths, times);
    if (!(checked.load <= busiest && checked.p99 <= chosen_part_of_p99 * asked.p99.count())) {
      too_few = cores;
    } else {
      best = std::move(given);
      enough = cores;
    }
  };
  // The answer is mostly near the current number, so the search leaves it in growing steps, and then bisects.
  if (const int now = view.current.cores_used(); now > too_few && now < enough) consider(now);
  for (int step = 1; best && too_few < least && enough - step >= least; step *= 2) consider(enough - step);
  for (int step = 1; !best && too_few + 1 < enough; step *= 2) consider(std::min(too_few + step, enough - 1));
  while (enough - too_few > 1 && best) consider(too_few + (enough - too_few) / 2);
  return best ? *std::move(best) : latency_counts(view, asked.rate, options);
}

}  // namespace weir
