#include "scheduler/control/kind_factors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/expect/kind_times.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir {

kind_factors::kind_factors(std::shared_ptr<const topology> machine) : machine_(std::move(machine)) {
  for (const core_kind& k : machine_->kinds()) {
    levels_.push_back({0, 1, 1 / k.speed});
    factors_.push_back(1 / k.speed);
  }
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

bool kind_factors::observe(const observation& seen, double seconds, const std::function<double(int cores)>& mean) {
  const core_set lane = lane_of(seen);
  const int kind = lane.empty() ? -1 : kind_of(lane);
  if (kind < 0) return true;
  if (own_ < 0) {
    own_ = kind;
    for (std::size_t k = 0; k < factors_.size(); ++k) factors_[k] = levels_[k].said / levels_[to_index(kind)].said;
  }
  since_own_ = kind == own_ ? 0 : since_own_ + 1;
  level& here = levels_[to_index(kind)];
  const double ratio = seconds / mean(seen.cores);
  if (!seen.after_move && is_usable(seen) && since_own_ <= kept && std::isfinite(ratio) && ratio > 0) {
    here.count = std::min(here.count + 1, kept);
    here.mean += (ratio - here.mean) / here.count;
    const level& own = levels_[to_index(own_)];
    for (std::size_t k = 0; k < factors_.size(); ++k)
      if (const level& l = levels_[k]; static_cast<int>(k) != own_)
        factors_[k] = (prior * l.said / own.said + l.count * l.mean / own.mean) / (prior + l.count);
  }
  return kind == own_ || here.count >= settled;
}

}  // namespace weir
