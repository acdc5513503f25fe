#include "scheduler/control/learnt_interference.hpp"

#include <algorithm>
#include <utility>

namespace weir {
namespace {

static_assert(neighbour_times::most_components == interference_model::max_components);

// Squares that a guess lowers or raises by more variances than this are no chance: one in 700.
constexpr double notable = 9;

}  // namespace

learnt_interference::learnt_interference(std::size_t components) : reached_(components, false) {
  if (components < 2 || components > interference_model::max_components) return;
  neighbours_ = std::make_unique<neighbour_times>(components);
  set_ = std::make_unique<interference_model>(static_cast<int>(components));
}

void learnt_interference::observe(const observation& seen, double ratio) {
  if (!neighbours_) return;
  reached_[seen.component] = true;
  neighbours_->add(seen, ratio);
}

void learnt_interference::step() {
  if (!neighbours_) return;
  neighbours_->settle([this](std::size_t component, double ratio, std::span<const double> running) {
    set_->observe(static_cast<int>(component), ratio, running);
  });
  bool is_any = false, is_whole = true;
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    is_any |= reached_[i];
    is_whole &= !reached_[i] || set_->observations(static_cast<int>(i)) >= enough << looks_;
  }
  if (!is_any || !is_whole) return;
  if (judge() || ++looks_ == looks) begin_set();
}

// Whether the set is used up.
bool learnt_interference::judge() {
  const double gain = guess_ ? guess_->gain_on(*set_) : 0;
  const bool is_last = looks_ + 1 == looks;
  if (gain < -notable || (guess_ && !known_ && is_last && gain < notable)) known_ = guess_ = nullptr;
  if (gain > notable && !known_) {
    known_ = guess_;
    return true;
  }
  if (guess_ && !(known_ && is_last)) return false;
  set_->fit();
  if (!set_->explains()) return false;
  interference_model found = *set_;
  found.forget();
  guess_ = std::make_shared<interference_model>(std::move(found));
  if (known_) known_ = guess_;  // of more observations
  return true;
}

void learnt_interference::begin_set() {
  set_->forget();
  looks_ = 0;
}

void learnt_interference::moved() {
  if (!neighbours_) return;
  neighbours_->forget();
  begin_set();
  std::fill(reached_.begin(), reached_.end(), false);
}

}  // namespace weir
