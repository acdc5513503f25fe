#include "runtime/machine/foreign_load.hpp"

#include <algorithm>
#include <cmath>

namespace weir::detail {

// The system counts whole ticks, and finds by samples whose they are. So cores may seem to have computed a little less
// than the threads on them.
constexpr double most_miscounted = 0.05;

void foreign_load::sample(const core_set& cores) {
  if (cores != cores_) {
    before_.reset();
    cores_ = cores;
  }
  snapshot now{platform_.now(), platform_.cores_used(cores), {}};
  if (now.use.units == 0 || (before_ && now.time - before_->time < shortest)) return;
  if (needs_delays_) now.delayed = platform_.delay_of_process();
  const double share = before_ ? share_until(now) : std::numeric_limits<double>::quiet_NaN();
  before_ = now;
  latest_.store(share, std::memory_order_relaxed);
  sampled_at_.store(now.time, std::memory_order_relaxed);
  is_notable_.store(share >= notable, std::memory_order_relaxed);
}

double foreign_load::share_until(snapshot& now) {
  const double all = now.use.units * (now.time - before_->time);
  const double own = now.use.by_process - before_->use.by_process;
  const double others = now.use.by_all - before_->use.by_all - own;
  const bool knew_delays = needs_delays_;
  needs_delays_ = !(others >= -most_miscounted * all);  // also where it is NaN
  if (!needs_delays_) return std::clamp(others / all, 0.0, 1.0);
  if (!knew_delays) now.delayed = platform_.delay_of_process();  // tells of the next stretch
  const double delayed = std::min(now.delayed - before_->delayed, all - own);
  return std::isnan(delayed) ? delayed : std::clamp(delayed / all, 0.0, 1.0);
}

double foreign_load::latest() const {
  const double sampled_at = sampled_at_.load(std::memory_order_relaxed);
  return platform_.now() - sampled_at > longest_ago ? std::numeric_limits<double>::quiet_NaN()
                                                    : latest_.load(std::memory_order_relaxed);
}

}  // namespace weir::detail
