#include "scheduler/expect/work_conserving.hpp"

#include <algorithm>
#include <cstddef>

#include "scheduler/expect/component_times.hpp"
#include "scheduler/expect/kind_times.hpp"

namespace weir {

bool is_work_conserving(const system_view& view, const allotment& given) {
  constexpr double near = 0.5;   // of the rate that the cores allow
  constexpr double less = 0.98;  // of the core time; models cannot tell less apart
  const int cores = view.cores.size();
  if (has_kinds(view) || given.shared.size() != cores) return false;
  double work = 0, slowest = 0;
  for (std::size_t i = 0; i < view.components.size(); ++i) {
    const component_view& c = view.components[i];
    if (is_outside(c)) continue;  // whatever it takes, it takes no cores
    if (!given.components[i].is_member() || c.most_together > 1) return false;
    component_times times(c);
    const double one = times.seconds(1, 1);
    if (cores > 1 && !c.sequential && c.max_cores > 1 && 2 * times.seconds(2, 1) < less * one) return false;
    work += one;
    if (shared_lanes(c) < cores) slowest = std::max(slowest, times.at_most_lanes());
  }
  return slowest <= near * work / cores;
}

}  // namespace weir
