#include "runtime/run/separation_trial.hpp"

#include <algorithm>
#include <cmath>

namespace weir::detail {

void separation_trial::begin(phase next, double now, std::uint64_t entered, const fusion_plan& in_force) {
  if (next == phase::watches && phase_ != phase::watches) not_before_ = now + std::max(least_pause, pause_by_age * now);
  phase_ = next;
  is_counting_ = next == phase::watches;
  counts_from_ = now;
  entered_ = entered;
  due_ = is_counting_ ? never : now + settles;
  if (next == phase::watches) {
    rule_.is_tried.reset();
    separates_ = in_force.separates_sources;
  } else {
    rule_.is_tried = (next == phase::tries) != separates_;
  }
}

bool separation_trial::is_due_to_try(double now, double seconds, const fusion_plan& in_force) const {
  if (now < not_before_) return false;
  const bool separates = in_force.separates_sources;
  const double expected = in_force.seconds + (separates ? rule_.beyond_separate : rule_.beyond_fused);
  return seconds > misfit * expected || (separates ? rule_.beyond_fused : rule_.beyond_separate) > 0;
}

// `seconds`: seen after the trial. The better of both times is the present plan's, so that a source which slowed down
// or sped up meanwhile decides nothing.
void separation_trial::judge(double seconds) {
  const double present = std::min(before_.seen, seconds);
  beyond(separates_) = std::max(0.0, present - before_.expected);
  beyond(!separates_) = std::max(0.0, tried_.seen - tried_.expected);
}

void separation_trial::take(double now, std::uint64_t entered, const fusion_plan& in_force, bool has_moved) {
  if (has_moved) phase_ = phase::watches;  // without a pause: moves are few, and young runs make them
  const bool is_other = phase_ == phase::watches && in_force.separates_sources != separates_;
  if (has_moved || is_other || !in_force.separation_matters || std::isnan(in_force.seconds))
    return begin(phase::watches, now, entered, in_force);
  if (is_counting_ ? now - counts_from_ < window : now < due_) return;
  if (!is_counting_) {
    is_counting_ = true;
    counts_from_ = now;
    entered_ = entered;
    due_ = now + window;
    return;
  }
  const std::uint64_t count = entered - entered_;
  const bool is_stretched = phase_ != phase::watches && now - counts_from_ > 4 * window;  // the source may have paused
  if (count < least_records || is_stretched) return begin(phase::watches, now, entered, in_force);
  const double seconds = (now - counts_from_) / static_cast<double>(count);
  phase next = phase::watches;
  switch (phase_) {
    case phase::watches:
      before_ = {in_force.seconds, seconds};
      if (is_due_to_try(now, seconds, in_force)) next = phase::tries;
      break;
    case phase::tries:
      tried_ = {in_force.seconds, seconds};
      next = phase::checks;
      break;
    case phase::checks:
      judge(seconds);
      break;
  }
  begin(next, now, entered, in_force);
}

}  // namespace weir::detail
