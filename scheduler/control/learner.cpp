#include "scheduler/control/learner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir {

learner::learner(std::unique_ptr<estimator> model) : model_(std::move(model)) {}

void learner::observe(const observation& seen, double cost) {
  ++observed_;
  seconds_ += seen.seconds;
  busy_ += seen.seconds * seen.cores;
  learn(seen, cost);
  if (!is_usable(seen)) return;
  inputs_.add(seen.x);
  recent_[next_] = {{seen.x, static_cast<int>(seen.cores), cost}, seen.seconds};
  next_ = (next_ + 1) % window;
  held_ = std::min(held_ + 1, window);
  if (seen.start >= in_force_since_) ++since_move_;
}

void learner::learn(const observation& seen, double cost) {
  const double end = seen.start + seen.seconds;
  if (end >= window_ends_) {
    give_sums();
    given_ = 0;
    window_ends_ = (std::floor(end / window_seconds) + 1) * window_seconds;
  }
  if (given_ >= singly && !seen.after_move) return sum_up(seen, cost);
  observation single = seen;
  single.seconds = cost;
  model_->observe(single);
  snapshot_ = nullptr;
  ++given_;
}

void learner::sum_up(const observation& seen, double cost) {
  observation checked = seen;
  checked.seconds = cost;
  if (!is_usable(checked)) return;
  const auto octave = static_cast<std::int64_t>(std::floor(64 * std::log2(std::max(seen.x, 1e-12))));
  const auto end = places_.begin() + static_cast<std::ptrdiff_t>(used_);
  auto at =
      std::find_if(places_.begin(), end, [&](const place& p) { return p.octave == octave && p.cores == seen.cores; });
  if (at == end) {
    if (used_ == places_.size()) return;
    *at = {octave, seen.cores, 0, 0, 0};
    ++used_;
  }
  at->x += seen.x;
  at->cost += cost;
  at->count += 1;
}

void learner::give_sums() {
  for (std::size_t i = 0; i < used_; ++i) {
    const place& p = places_[i];
    observation mean;
    mean.x = p.x / p.count;
    mean.cores = p.cores;
    mean.seconds = p.cost / p.count;
    model_->observe(mean);
    snapshot_ = nullptr;
  }
  used_ = 0;
}

void learner::moved(double time) {
  in_force_since_ = time;
  since_move_ = 0;
}

void learner::fill(component_view& view) const {
  if (!snapshot_) snapshot_ = model_->clone();
  view.model = snapshot_;
  view.recent.clear();
  const std::size_t count = inputs_.count();
  if (count < typical_of_ || 16 * (observed_ - typical_at_) >= count) {
    typical_ = inputs_.typical();
    typical_of_ = count;
    typical_at_ = observed_;
  }
  view.inputs = typical_;
  view.inputs_seen = count;
  for (std::size_t back = std::min(held_, inputs_.count()); back-- > 0;) view.recent.push_back(recent(back).sample);
  view.invocations = observed_;
  view.invocations_since_move = std::min<std::uint64_t>(since_move_, held_);
}

std::vector<invocation_sample> learner::last() const {
  std::vector<invocation_sample> all;
  all.reserve(held_);
  for (std::size_t back = held_; back-- > 0;) all.push_back(recent(back).sample);
  return all;
}

double learner::mean_seconds() const {
  const std::size_t count = std::min(held_, averaged);
  double sum = 0;
  for (std::size_t back = 0; back < count; ++back) sum += recent(back).seconds;
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace weir
