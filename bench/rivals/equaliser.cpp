#include "bench/rivals/equaliser.hpp"

#include "bench/rivals/core_dealing.hpp"
#include "bench/rivals/measured_load.hpp"
#include "bench/rivals/one_core_move.hpp"

namespace weir::rivals {

allotment equaliser::decide(const system_view& view) const {
  core_counts counts = present_counts(view);
  const std::vector<double> load = measured_load(view);
  if (all_measured(load))
    if (const auto move = next_move(counts, view, load)) counts = after(*move, std::move(counts), view);
  return place(counts, view);
}

assessment equaliser::assess(const system_view& view, const allotment& given) const {
  assessment result = allocation_rule::assess(view, given);
  result.cost = linear_bottleneck(measured_load(view), given);
  return result;
}

}  // namespace weir::rivals
