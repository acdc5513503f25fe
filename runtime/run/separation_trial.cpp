#include "runtime/run/separation_trial.hpp"

#include <algorithm>
#include <cmath>

namespace weir::detail {

bool separation_trial::is_due_to_try(double seconds, const fusion_plan& in_force) const {
  const bool separates = in_force.separates_sources;
  const double expected = in_force.seconds + (separates ? rule_.beyond_separate : rule_.beyond_fused);
  return seconds > misfit * expected || (separates ? rule_.beyond_fused : rule_.beyond_separate) > 0;
}

void separation_trial::take(double now, std::uint64_t entered, const fusion_plan& in_force, bool is_disturbed) {
  const bool is_other = !is_under_way() && in_force.separates_sources != separates_;
  if (is_disturbed) {
    windows_.end_without_pause(now, entered);
  } else if (is_other || !in_force.separation_matters || std::isnan(in_force.seconds)) {
    windows_.end(now, entered);
  } else if (const auto found = windows_.take(now, entered, in_force.seconds,
                                              [&](double seen) { return is_due_to_try(seen, in_force); })) {
    beyond(separates_) = std::max(0.0, found->present.seen - found->present.expected);
    beyond(!separates_) = std::max(0.0, found->other.seen - found->other.expected);
  }
  if (!is_under_way()) separates_ = in_force.separates_sources;
  rule_.is_tried = is_under_way() ? std::optional(windows_.tries_other() != separates_) : std::nullopt;
}

}  // namespace weir::detail
