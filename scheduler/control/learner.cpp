#include "scheduler/control/learner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/control/mean_model.hpp"

namespace weir {

learner::learner(std::shared_ptr<estimator> start, const std::shared_ptr<const topology>& machine)
    : start_(std::move(start)), model_(start_), recent_(start_->predictors() > 1) {
  if (machine && machine->kinds().size() > 1) kinds_ = std::make_unique<kind_factors>(machine);
}

const estimator& learner::model() {
  if (withholds_ && observed_ > 0) tell_withheld();
  return *model_;
}

description learner::describe() const {
  if (!withholds_ || observed_ == 0) return model_->describe();
  const std::unique_ptr<estimator> all = start_->clone();
  give(withheld(), *all);
  return all->describe();
}

double learner::mean(double x, int cores) const {
  if (withholds_) show_withheld();
  return model_->mean(x, cores);
}

double learner::expected(const observation& given) const {
  observation seen = given;
  seen.x = x_of(given);
  const double alike = mean(seen.x, seen.cores);
  return kinds_ ? alike * kinds_->factor(seen, [&](int cores) { return mean(seen.x, cores); }) : alike;
}

std::vector<learner::place> learner::withheld() const {
  std::vector<place> sums;
  for (std::size_t back = recent_.size(); back-- > 0;) sum_up(recent_.observation_of(back), sums);
  return sums;
}

// While it withholds, by the model that it starts from.
double learner::x_of(const observation& seen) const { return (withholds_ ? *start_ : *model_).x_of(seen); }

// Rebuilt for every view: few are requested in this phase.
void learner::show_withheld() const {
  if (shown_ == recent_.size()) return;
  const auto model = std::make_shared<mean_model>();
  for (std::size_t back = recent_.size(); back-- > 0;) {
    observation one = recent_.observation_of(back);
    one.x = recent_.latest(back).sample.x;
    model->observe(one);
  }
  for (; shown_ < recent_.size(); ++shown_) inputs_.add(recent_.oldest(shown_).sample.x);
  model_ = model;
}

void learner::tell_withheld() {
  show_withheld();
  std::shared_ptr<estimator> model = start_->clone();
  give(withheld(), *model);
  model_ = std::move(model);
  is_shared_ = false;
  withholds_ = false;
}

// Everything that an observation may need, so that the rest cannot fail half-way.
void learner::make_room() {
  recent_.make_room();
  if (withholds_) return;
  inputs_.make_room();
  if (given_ >= singly && places_.size() == places_.capacity())
    places_.reserve(next_capacity(places_.size(), most_places));
  if (!is_shared_) return;
  model_ = model_->clone();
  is_shared_ = false;
}

void learner::observe(const observation& seen, double measured) {
  all_.records += seen.records;
  all_.seconds += seen.seconds * seen.records;
  all_.busy += seen.seconds * seen.records * seen.cores;
  if (const auto whole = batches_.add(seen, measured)) take(whole->seen, whole->cost);
}

void learner::take(observation given, double measured) {
  const bool knows_nothing = observed_ == 0 && start_->cores_known().largest == 0;
  if (knows_nothing && allotments_ > 1) given.after_move = false;
  observation seen = given;
  if (has_several()) seen.x = x_of(given);
  double cost = measured;
  bool teaches = true;
  if (kinds_) {
    const auto by_model = [&](int cores) { return mean(seen.x, cores); };
    teaches = kinds_->observe(seen, measured, by_model);
    cost /= kinds_->factor(seen, by_model);
  }
  if (observed_ == 0) withholds_ = knows_nothing;
  if (withholds_ && !(cost < short_below && observed_ < most_withheld)) tell_withheld();
  const bool usable = is_usable(seen) && teaches;
  if (usable || !withholds_) make_room();
  ++observed_;
  if (!withholds_ && teaches) learn(given, cost);
  if (!usable) return;
  if (!withholds_) inputs_.add(seen.x);
  recent_.add(given, {{seen.x, static_cast<int>(seen.cores), cost}, seen.seconds});
  if (seen.start >= in_force_since_) ++since_move_;
  if (withholds_ || !recent_.renew_x(*model_)) return;
  inputs_ = {};
  typical_of_ = 0;
  typical_.clear();
  for (std::size_t back = recent_.size(); back-- > 0;) {
    inputs_.make_room();
    inputs_.add(recent_.latest(back).sample.x);
  }
}

void learner::learn(const observation& seen, double cost) {
  observation single = seen;
  single.seconds = cost;
  const double end = seen.start + seen.seconds;
  if (end >= window_ends_) {
    give(places_, *model_);
    places_.clear();
    given_ = 0;
    window_ends_ = (std::floor(end / window_seconds) + 1) * window_seconds;
  }
  if (given_ >= singly && !seen.after_move) return sum_up(single, places_);
  model_->observe(single);
  ++given_;
}

void learner::sum_up(const observation& seen, std::vector<place>& into) const {
  if (!has_several() && !is_usable(seen)) return;
  const auto octave = static_cast<std::int64_t>(std::floor(64 * std::log2(std::max(seen.x, 1e-12))));
  auto at = std::find_if(into.begin(), into.end(), [&](const place& p) {
    return p.octave == octave && p.cores == seen.cores && (!has_several() || p.further == seen.further);
  });
  if (at == into.end()) {
    if (into.size() == most_places) return;
    at = into.insert(into.end(), {octave, seen.cores, 0, 0, 0, seen.further});
  }
  at->x += seen.x;
  at->cost += seen.seconds;
  at->count += 1;
}

void learner::give(const std::vector<place>& sums, estimator& to) {
  for (const place& p : sums) {
    observation mean;
    mean.x = p.x / p.count;
    mean.cores = p.cores;
    mean.seconds = p.cost / p.count;
    mean.further = p.further;
    mean.averaged = static_cast<std::uint32_t>(p.count);
    to.observe(mean);
  }
}

void learner::moved(double time) {
  in_force_since_ = time;
  ++allotments_;
  since_move_ = 0;
}

void learner::fill(component_view& view, std::span<const double> waiting) const {
  if (withholds_) {
    show_withheld();
  } else if (!is_shared_) {
    model_ = model_->clone();  // fitted, so that predictions are fast
    is_shared_ = true;
  }
  view.model = model_;
  view.recent.clear();
  const std::size_t count = inputs_.count();
  if (count < typical_of_ || 16 * (observed_ - typical_at_) >= count) {
    typical_ = inputs_.typical();
    typical_of_ = count;
    typical_at_ = observed_;
  }
  view.inputs = typical_;
  view.inputs_seen = count;
  if (kinds_) view.kind_factors = kinds_->by_kind();
  const auto next = inputs_.ahead(waiting);
  view.next_inputs = next ? next->typical() : std::vector<typical_input>{};
  view.next_inputs_seen = next ? next->count() : 0;
  for (std::size_t back = std::min(recent_.size(), inputs_.count()); back-- > 0;)
    view.recent.push_back(recent_.latest(back).sample);
  view.invocations = observed_;
  view.together = batches_.together();
  view.invocations_since_move = std::min<std::uint64_t>(since_move_, recent_.size());
}

std::vector<invocation_sample> learner::last() const {
  std::vector<invocation_sample> all;
  all.reserve(recent_.size());
  for (std::size_t back = recent_.size(); back-- > 0;) all.push_back(recent_.latest(back).sample);
  return all;
}

double learner::mean_seconds() const {
  const std::size_t count = std::min(recent_.size(), averaged);
  double sum = 0;
  for (std::size_t back = 0; back < count; ++back) sum += recent_.latest(back).seconds;
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace weir
