#include "model/priors/prior_choice.hpp"

#include <algorithm>
#include <cmath>
#include <locale>
#include <new>
#include <sstream>
#include <utility>

namespace weir {
namespace {

// A candidate that claims less scatter is not believed. Short invocations may scatter more than the model says of all:
// up to short_scatter, since more would make any time fit.
constexpr double believed_scatter = 0.02, short_scatter = 0.3, largest_scatter = 1;
// An earlier error counts as this part of the next one, once a candidate is chosen.
constexpr double kept = 0.95;
// A factor that differs from 1 by fewer standard deviations may be noise.
constexpr double clear_factor = 3;

std::string began_from(const std::string& run, double factor) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(3);
  out << ", began from the model of " << run;
  if (factor != 1) out << " times " << factor;
  return out.str();
}

// NaN or infinite where the model predicts nothing.
double log_ratio(const estimator& model, const observation& seen) {
  return std::log(seen.seconds / model.mean(model.x_of(seen), seen.cores));
}

// The relative scatter that the model expects of the observation, which is `most` or less.
double scatter_of(const prediction& said, double most) {
  const double scatter = said.spread / said.mean;
  return std::isfinite(scatter) ? std::clamp(scatter, believed_scatter, most) : most;
}

}  // namespace

prior_choice::prior_choice(std::unique_ptr<estimator> fresh, std::vector<prior_candidate> candidates)
    : fresh_(std::move(fresh)), candidates_(std::move(candidates)), standings_(candidates_.size()) {
  for (const prior_candidate& one : candidates_)
    scatters_.push_back(std::clamp(one.model->describe().scatter, short_scatter, largest_scatter));
}

prior_choice::prior_choice(const prior_choice& other)
    : estimator(other),
      fresh_(other.fresh_ ? other.fresh_->clone() : nullptr),
      seeded_(other.seeded_ ? other.seeded_->clone() : nullptr),
      candidates_(other.candidates_),
      standings_(other.standings_),
      scatters_(other.scatters_),
      fresh_error_(other.fresh_error_),
      seeded_error_(other.seeded_error_),
      first_(other.first_),
      seen_(other.seen_),
      uses_prior_(other.uses_prior_),
      run_(other.run_),
      factor_(other.factor_),
      changes_(other.changes_) {}

std::unique_ptr<estimator> prior_choice::clone() const { return std::make_unique<prior_choice>(*this); }

void prior_choice::observe(const observation& seen) {
  const bool used_prior = uses_prior_, is_decided = !fresh_ || (!seeded_ && candidates_.empty());
  const std::uint64_t before = used().x_changes();
  bool made_anew = false;
  if (is_decided || !is_usable(seen)) {
    used().observe(seen);
  } else if (seen_ < choosing) {
    choose(seen);
    made_anew = true;
  } else {
    compare(seen);
  }
  if (made_anew || uses_prior_ != used_prior || used().x_changes() != before) ++changes_;
}

void prior_choice::choose(const observation& seen) {
  if (seen_ > 0) fresh_error_ = prior_standing::after(fresh_error_, log_ratio(*fresh_, seen), prior_standing::kept);
  fresh_->observe(seen);
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const estimator& model = *candidates_[i].model;
    const prediction said = model.predict(model.x_of(seen), seen.cores);
    standings_[i].judge(std::log(seen.seconds / said.mean), scatter_of(said, scatters_[i]));
  }
  first_[static_cast<std::size_t>(seen_++)] = seen;
  const auto best = std::ranges::min_element(
      standings_, {}, [](const prior_standing& its) { return std::pair(!its.fits(), its.badness()); });
  uses_prior_ = false;
  seeded_.reset();
  try {
    // Errors below the scatter that is believed tell nothing.
    if (best->fits() && best->late_error() <= fresh_error_ + believed_scatter * believed_scatter)
      seed(static_cast<std::size_t>(best - standings_.begin()));
    uses_prior_ = seeded_ != nullptr;
  } catch (const std::bad_alloc&) {  // the model without a prior has learnt it
  }
  if (seen_ < choosing) return;
  seeded_error_ = best->late_error();
  candidates_ = {};
  standings_ = {};
  scatters_ = {};
}

// Makes seeded_ of the candidate at this place.
void prior_choice::seed(std::size_t best) {
  const prior_standing& its = standings_[best];
  const prior_candidate& from = candidates_[best];
  std::string run = '\'' + from.run + '\'' + (from.machine.empty() ? "" : " (" + from.machine + ')');
  std::unique_ptr<estimator> made = from.model->clone();
  factor_ = std::abs(its.log_factor()) > clear_factor * its.uncertainty() ? std::exp(its.log_factor()) : 1;
  if (factor_ != 1) made->rescale(factor_);
  for (int i = 0; i < seen_; ++i) made->observe(first_[static_cast<std::size_t>(i)]);
  seeded_ = std::move(made);
  run_ = std::move(run);
}

void prior_choice::compare(const observation& seen) {
  fresh_error_ = prior_standing::after(fresh_error_, log_ratio(*fresh_, seen), kept);
  seeded_error_ = prior_standing::after(seeded_error_, log_ratio(*seeded_, seen), kept);
  fresh_->observe(seen);
  seeded_->observe(seen);
  uses_prior_ = seeded_error_ < fresh_error_;
  if (++seen_ == judged) (uses_prior_ ? fresh_ : seeded_).reset();
}

description prior_choice::describe() const {
  description out = used().describe();
  if (uses_prior_) out.words += began_from(run_, factor_);
  return out;
}

bool prior_choice::restore(const std::vector<double>& state) {
  if (!used().restore(state)) return false;
  (uses_prior_ ? fresh_ : seeded_).reset();
  candidates_ = {};
  standings_ = {};
  scatters_ = {};
  ++changes_;
  return true;
}

}  // namespace weir
