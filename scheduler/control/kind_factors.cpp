#include "scheduler/control/kind_factors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/expect/kind_times.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir {

kind_factors::kind_factors(std::shared_ptr<const topology> machine) : machine_(std::move(machine)) {
  for (const core_kind& k : machine_->kinds()) factors_.push_back(1 / k.speed);
  counts_.assign(factors_.size(), prior);
}

core_set kind_factors::lane_of(const observation& seen) const {
  return core_set::range(static_cast<int>(seen.first_core), seen.cores) & machine_->all();
}

int kind_factors::kind_of(const core_set& lane) const {
  const int first = (*machine_)[lane[0]].kind;
  const auto is_same = [&](int core) { return (*machine_)[core].kind == first; };
  return std::all_of(lane.begin(), lane.end(), is_same) ? first : -1;
}

double kind_factors::factor(const observation& seen, const std::function<double(int cores)>& mean) const {
  const core_set lane = lane_of(seen);
  return lane.empty() ? 1 : lane_factor(lane, *machine_, factors_, mean);
}

double kind_factors::model_seconds(const observation& seen, double seconds,
                                   const std::function<double(int cores)>& mean) {
  const core_set lane = lane_of(seen);
  if (lane.empty()) return seconds;
  const int kind = kind_of(lane);
  if (own_ < 0 && kind >= 0) {
    own_ = kind;
    const double unit = factors_[to_index(kind)];
    for (double& f : factors_) f /= unit;
  }
  if (kind >= 0 && kind != own_ && is_usable(seen) && !seen.after_move)
    if (const double ratio = seconds / mean(seen.cores); std::isfinite(ratio) && ratio > 0) {
      double& count = counts_[to_index(kind)];
      count = std::min(count + 1, kept);
      factors_[to_index(kind)] += (ratio - factors_[to_index(kind)]) / count;
    }
  return seconds / lane_factor(lane, *machine_, factors_, mean);
}

}  // namespace weir
