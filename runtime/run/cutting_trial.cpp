#include "runtime/run/cutting_trial.hpp"

#include <cmath>
#include <utility>

namespace weir::detail {

void cutting_trial::take(double now, std::uint64_t entered, const fusion_plan& in_force, bool is_disturbed) {
  const bool is_other = std::exchange(separates_, in_force.separates_sources) != separates_;
  if (is_disturbed || is_other) return windows_.end_without_pause(now, entered);
  if (!in_force.cutting_matters || std::isnan(in_force.seconds)) return windows_.end(now, entered);
  const auto found =
      windows_.take(now, entered, in_force.seconds, [&](double seen) { return gain * seen > in_force.least_seconds; });
  if (found)
    cuts_ = cuts_ ? found->other.seen > loss * found->present.seen : found->other.seen < gain * found->present.seen;
}

}  // namespace weir::detail
