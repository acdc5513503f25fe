#include "runtime/run/trial_windows.hpp"

#include <algorithm>

namespace weir::detail {

void trial_windows::begin(phase next, double now, std::uint64_t entered) {
  if (next == phase::watches && phase_ != phase::watches) not_before_ = now + std::max(least_pause, pause_by_age * now);
  phase_ = next;
  is_counting_ = next == phase::watches;
  counts_from_ = now;
  entered_ = entered;
  due_ = is_counting_ ? never : now + std::min(settles_, gives_up_after);
}

// Returns the seconds between two records where a window is complete.
std::optional<double> trial_windows::count(double now, std::uint64_t entered) {
  const std::uint64_t count = entered - entered_;
  const double passed = now - counts_from_;
  if (!is_counting_) {
    // Streams that fill up for another plan take in more records than the plan does.
    const double pace = passed / static_cast<double>(std::max<std::uint64_t>(count, 1));
    if (tries_other() && passed >= gives_up_after && hopeless * pace > found_.present.seen) return pace;
    due_ = counts_from_ + settles_;
    if (now < due_) return std::nullopt;
    is_counting_ = true;
    counts_from_ = now;
    entered_ = entered;
    due_ = now + window_;
    return std::nullopt;
  }
  const double windows = passed / window_;
  if (windows < (count < least_records ? longest_ : 1)) {
    if (is_under_way() && now >= due_) due_ = now + window_;
    return std::nullopt;
  }
  const bool is_late = is_under_way() && windows > longest_ + 3;  // the source may have paused
  if (count < least_records || is_late) {
    end(now, entered);
    return std::nullopt;
  }
  return passed / static_cast<double>(count);
}

}  // namespace weir::detail
