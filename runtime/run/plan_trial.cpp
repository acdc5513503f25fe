#include "runtime/run/plan_trial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir::detail {

double plan_trial::pause_at(double now) { return std::max(least_pause, pause_by_age * now); }

plan_choice plan_trial::flipped(flip what) const {
  plan_choice other = kept_;
  if (what == separation || what == lanes_and_separation) other.separates = !separates_;
  if (what == cuts) other.cuts_short = !kept_.cuts_short;
  if (what == lanes || what == lanes_and_separation) other.one_lane = !kept_.one_lane;
  return other;
}

bool plan_trial::may_pay(flip what, double now, const fusion_plan& in_force) const {
  const double most = gain * present_;
  if (what == separation) return most > in_force.least_if_separated_otherwise;
  if (what == cuts) return in_force.cuts_short || most > in_force.least_if_cut;
  if (what == lanes_and_separation && in_force.least_if_separated_otherwise == fusion_plan::none) return false;
  return kept_.one_lane || (now >= lanes_from && most > in_force.least_on_one_lane);
}

void plan_trial::watch(double now, std::uint64_t entered, double pause) {
  phase_ = phase::watches;
  choice_ = kept_;
  not_before_ = now + pause;
  not_before_at_other_pace_ = now + std::min(pause, std::max(least_pause, pause_at_other_pace * now));
  window_.begin(now, entered, false);
  looked_at_ = now;
  entered_at_look_ = entered;
  was_slow_at_look_ = false;
}

// Whether on one lane less than half as many records enter as were found, at two looks. Then all lanes are taken.
// Another process may have kept the core from the lane's thread at one of them.
bool plan_trial::has_stalled(double now, std::uint64_t entered) {
  if (is_under_way() || !kept_.one_lane || now < look_due()) return false;
  const double count = static_cast<double>(entered - std::exchange(entered_at_look_, entered));
  const bool is_slow = 2 * count * found_ < now - std::exchange(looked_at_, now);
  const bool was_slow = std::exchange(was_slow_at_look_, is_slow);
  if (!is_slow || !was_slow) return false;
  kept_.one_lane = false;
  watch(now, entered, pause_at(now));
  return true;
}

bool plan_trial::look(double now, std::uint64_t entered) {
  return is_under_way() ? now >= due() : has_stalled(now, entered);
}

void plan_trial::take(double now, std::uint64_t entered, const fusion_plan& in_force, bool is_complete,
                      bool is_disturbed) {
  if (has_stalled(now, entered)) return;
  const bool is_other = !is_under_way() && std::exchange(separates_, in_force.separates_sources) != separates_;
  if (is_disturbed || is_other || std::isnan(in_force.seconds)) {
    if (is_under_way()) return watch(now, entered, is_disturbed ? 0 : pause_at(now));
    return window_.begin(now, entered, false);
  }
  if (is_under_way() && !is_in_force_) return await_plan(now, entered, is_complete);
  if (!is_under_way() && !is_complete) return window_.begin(now, entered, false);
  const std::optional<double> seen =
      window_.take(now, entered, phase_ == phase::tries ? present_ / hopeless : pace_window::too_few);
  if (!seen) return;
  if (phase_ == phase::watches) {
    present_ = *seen;
    if (*seen == pace_window::too_few) return window_.begin(now, entered, false);
    const bool is_other_pace = *seen > another * found_ || *seen * another < found_;
    if (now < (is_other_pace ? not_before_at_other_pace_ : not_before_)) return window_.begin(now, entered, false);
    return begin(now, entered, in_force);
  }
  if (*seen == pace_window::too_few || window_.is_late(now)) return watch(now, entered, pause_at(now));
  if (phase_ == phase::tries) {
    seen_[static_cast<std::size_t>(tried_)] = *seen;
    return try_next(now, entered);
  }
  present_ = std::min(present_, *seen);  // a stream that sped up meanwhile decides nothing
  decide(now, entered);
}

// Until the last entity is fused, regions time each record.
void plan_trial::await_plan(double now, std::uint64_t entered, bool is_complete) {
  if (!is_complete && now > tried_since_ + longest_until_complete) return watch(now, entered, pause_at(now));
  is_in_force_ = is_complete;
  asks_at_ = now + asks_after;
  window_.begin(now, entered, true);
}

void plan_trial::begin(double now, std::uint64_t entered, const fusion_plan& in_force) {
  for (int i = 0; i < flips; ++i) {
    const auto what = static_cast<flip>(i);
    seen_[static_cast<std::size_t>(i)] = may_pay(what, now, in_force) ? std::optional(0.0) : std::nullopt;
  }
  tried_ = -1;
  try_next(now, entered);
}

void plan_trial::try_next(double now, std::uint64_t entered) {
  while (++tried_ < flips && !seen_[static_cast<std::size_t>(tried_)]) {
  }
  if (tried_ < flips) {
    phase_ = phase::tries;
    choice_ = flipped(static_cast<flip>(tried_));
  } else if (is_under_way()) {
    phase_ = phase::checks;
    choice_ = kept_;
  }
  is_in_force_ = false;
  tried_since_ = now;
  asks_at_ = now + asks_after;
  if (!is_under_way()) window_.begin(now, entered, false);
}

void plan_trial::decide(double now, std::uint64_t entered) {
  std::optional<flip> best;
  for (int i = 0; i < flips; ++i) {
    const std::optional<double>& seen = seen_[static_cast<std::size_t>(i)];
    const bool is_back = (i == cuts && kept_.cuts_short) || (i == lanes && kept_.one_lane);
    if (!seen || *seen >= (is_back ? loss : gain) * present_) continue;
    if (!best || *seen < *seen_[static_cast<std::size_t>(*best)]) best = static_cast<flip>(i);
  }
  found_ = best ? *seen_[static_cast<std::size_t>(*best)] : present_;
  if (best) {
    kept_ = flipped(*best);
    separates_ = separates_ != (*best == separation || *best == lanes_and_separation);
  }
  in_a_row_ = best ? in_a_row_ + 1 : 0;
  // Further changes may gain more, and the other plan gets a second chance.
  watch(now, entered, best && in_a_row_ < flips ? 0 : pause_at(now));
}

}  // namespace weir::detail
