#include "runtime/run/pace_window.hpp"

#include <algorithm>

namespace weir::detail {

void pace_window::begin(double now, std::uint64_t entered, bool settles) {
  from_ = now;
  entered_ = entered;
  settles_ = settles;
  due_ = now + (settles ? settles_first : shortest);
}

std::optional<double> pace_window::take(double now, std::uint64_t entered, double hopeless) {
  const std::uint64_t count = entered - entered_;
  const double pace = (now - from_) / static_cast<double>(std::max<std::uint64_t>(count, 1));
  if (settles_) {
    // Streams that fill up for another plan take in more records than the plan does.
    if (now >= from_ + settles_first && pace > hopeless) return pace;
    if (now >= from_ + (count < many ? settles_last : settles_first))
      begin(now, entered, false);
    else
      due_ = from_ + settles_last;
    return std::nullopt;
  }
  if (now < from_ + (count < least ? longest : count < many ? usual : shortest)) {
    if (now >= due_) due_ = count < least ? now + usual : from_ + usual;
    return std::nullopt;
  }
  return count < least ? too_few : pace;
}

}  // namespace weir::detail
