#include "model/priors/prior_choice.hpp"

#include <algorithm>
#include <cmath>
#include <locale>
#include <new>
#include <numbers>
#include <sstream>
#include <utility>

namespace weir {
namespace {

// How much other machines and inputs change times: a factor of two is one standard deviation.
constexpr double usual_factor = std::numbers::ln2;
// Where an error is larger, it counts as one of a factor of two.
constexpr double most_error = std::numbers::ln2;
// A candidate that claims less scatter is not believed.
constexpr double believed_scatter = 0.02, usual_scatter = 0.05;
// An earlier error counts as this part of the next one. It is smaller while candidates are judged, since their factors
// and the law without a prior become better then.
constexpr double while_choosing = 0.8, while_comparing = 0.95;
// A factor that differs from 1 by fewer standard deviations may be noise.
constexpr double clear_factor = 3;
// A candidate fits whose errors are within this many times the scatter that it knows. Another one must leave this part
// of the squared errors of the model without a prior.
constexpr double fitting = 2, needed_without_fit = 0.5;

std::string began_from(const std::string& run, double factor) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(3);
  out << ", began from the model of '" << run << "'";
  if (factor != 1) out << " times " << factor;
  return out.str();
}

// NaN or infinite where the model predicts nothing.
double log_ratio(const estimator& model, const observation& seen) {
  return std::log(seen.seconds / model.mean(model.x_of(seen), seen.cores));
}

// The variance of a time over that of the factor.
double odds_of_factor(double scatter) { return scatter * scatter / (usual_factor * usual_factor); }

// An error counts less while the factor is hardly known: the variance of a time over that of time and factor.
double weight_of_error(int before, double scatter) {
  const double known = before + odds_of_factor(scatter);
  return known / (known + 1);
}

double counted(double log_error) {
  const double most = std::isfinite(log_error) ? std::min(std::abs(log_error), most_error) : most_error;
  return most * most;
}

}  // namespace

// The mean of `count` normal variables with this scatter, whose true mean is 0 give or take usual_factor.
double prior_choice::standing::log_factor() const { return sum / (count + odds_of_factor(scatter)); }

void prior_choice::standing::judge(double log_ratio) {
  const double weight = weight_of_error(count, scatter);
  error = while_choosing * error + weight * counted(log_ratio - log_factor());
  mass = while_choosing * mass + weight;
  if (!std::isfinite(log_ratio)) return;
  sum += log_ratio;
  ++count;
}

bool prior_choice::standing::fits() const { return error < fitting * fitting * scatter * scatter * mass; }

prior_choice::prior_choice(std::unique_ptr<estimator> fresh, std::vector<prior_candidate> candidates)
    : fresh_(std::move(fresh)), candidates_(std::move(candidates)) {
  for (const prior_candidate& one : candidates_)
    standings_.push_back({.scatter = std::clamp(one.model->describe().scatter, believed_scatter, 1.0)});
}

prior_choice::prior_choice(const prior_choice& other)
    : estimator(other),
      fresh_(other.fresh_ ? other.fresh_->clone() : nullptr),
      seeded_(other.seeded_ ? other.seeded_->clone() : nullptr),
      candidates_(other.candidates_),
      standings_(other.standings_),
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
  const double weight = weight_of_error(seen_, usual_scatter);  // about that of the candidates
  fresh_error_ = while_choosing * fresh_error_ + weight * counted(log_ratio(*fresh_, seen));
  fresh_->observe(seen);
  for (std::size_t i = 0; i < candidates_.size(); ++i) standings_[i].judge(log_ratio(*candidates_[i].model, seen));
  first_[static_cast<std::size_t>(seen_++)] = seen;
  const auto best = std::ranges::min_element(standings_, {}, &standing::error);
  uses_prior_ = false;
  try {
    seed(static_cast<std::size_t>(best - standings_.begin()));
    uses_prior_ = best->error < (best->fits() ? 1 : needed_without_fit) * fresh_error_;
  } catch (const std::bad_alloc&) {  // the model without a prior has learnt it
    seeded_.reset();
  }
  seeded_error_ = best->error;
  if (seen_ < choosing) return;
  candidates_ = {};
  standings_ = {};
}

// Makes seeded_ of the candidate at this place.
void prior_choice::seed(std::size_t best) {
  const standing& its = standings_[best];
  const double log_factor = its.log_factor(), error = its.scatter / std::sqrt(std::max(its.count, 1));
  std::string run = candidates_[best].run;
  std::unique_ptr<estimator> made = candidates_[best].model->clone();
  factor_ = std::abs(log_factor) > clear_factor * error ? std::exp(log_factor) : 1;
  if (factor_ != 1) made->rescale(factor_);
  for (int i = 0; i < seen_; ++i) made->observe(first_[static_cast<std::size_t>(i)]);
  seeded_ = std::move(made);
  run_ = std::move(run);
}

void prior_choice::compare(const observation& seen) {
  fresh_error_ = while_comparing * fresh_error_ + counted(log_ratio(*fresh_, seen));
  seeded_error_ = while_comparing * seeded_error_ + counted(log_ratio(*seeded_, seen));
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
  ++changes_;
  return true;
}

}  // namespace weir
