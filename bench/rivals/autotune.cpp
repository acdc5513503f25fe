#include "bench/rivals/autotune.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "bench/rivals/core_dealing.hpp"
#include "bench/rivals/measured_load.hpp"

namespace weir::rivals {

allotment autotune::decide(const system_view& view) const {
  const std::vector<double> load = measured_load(view);
  const int cores = view.cores.size();
  int left = cores;
  core_counts counts;
  for (const component_view& c : view.components) {
    counts.components.push_back({c.runs_inline ? 0 : bounds_of(c, cores).lower, 1});
    left -= counts.components.back().cores;
  }
  if (!all_measured(load) || left < 0) return place(equal_start(view), view);
  for (; left > 0; --left) {
    std::size_t slowest = load.size();
    for (std::size_t i = 0; i < load.size(); ++i)
      if (counts.components[i].cores > 0 &&
          (slowest == load.size() ||
           load[i] / counts.components[i].cores > load[slowest] / counts.components[slowest].cores))
        slowest = i;
    if (slowest == load.size() || counts.components[slowest].cores >= bounds_of(view.components[slowest], cores).upper)
      break;
    ++counts.components[slowest].cores;
  }
  return place(completed(std::move(counts), view), view);
}

assessment autotune::assess(const system_view& view, const allotment& given) const {
  assessment result = allocation_rule::assess(view, given);
  result.cost = linear_bottleneck(measured_load(view), given);
  return result;
}

}  // namespace weir::rivals
