#include "bench/rivals/half_efficiency.hpp"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "bench/rivals/core_dealing.hpp"
#include "scheduler/divide/leximin.hpp"
#include "scheduler/expect/component_times.hpp"
#include "scheduler/expect/expectation.hpp"

namespace weir::rivals {
namespace {

constexpr double least_efficiency = 0.5;

// The most cores, from the lower bound on, at which the component's speed over that of one core is still half of them.
int efficient_cores(const component_view& component, component_times& times, const core_bounds& bounds) {
  int most = bounds.lower;
  const double alone = times.seconds(1, 1);
  while (most < bounds.upper) {
    const int next = most + 1;
    if (!(alone / (next * times.seconds(next, lanes_of(component, next))) >= least_efficiency)) break;
    most = next;
  }
  return most;
}

}  // namespace

allotment half_efficiency::decide(const system_view& view) const {
  const int cores = view.cores.size();
  std::vector<component_times> times = times_of(view);
  std::vector<std::size_t> owners;
  std::vector<core_bounds> bounds;
  int least = 0;
  for (std::size_t i = 0; i < view.components.size(); ++i) {
    const component_view& c = view.components[i];
    if (!times[i].observed()) return place(equal_start(view), view);
    if (c.runs_inline || c.visits <= 0) continue;
    const core_bounds may = bounds_of(c, cores);
    owners.push_back(i);
    bounds.push_back({may.lower, efficient_cores(c, times[i], may)});
    least += may.lower;
  }
  if (least > cores) return place(equal_start(view), view);
  const std::vector<int> given = leximin(bounds, cores, [&](int k, int p) {
    const std::size_t i = owners[static_cast<std::size_t>(k)];
    return times[i].seconds(p, lanes_of(view.components[i], p));
  });
  core_counts counts;
  counts.components.resize(view.components.size());
  for (std::size_t k = 0; k < owners.size(); ++k) counts.components[owners[k]].cores = given[k];
  return place(completed(std::move(counts), view), view);
}

}  // namespace weir::rivals
