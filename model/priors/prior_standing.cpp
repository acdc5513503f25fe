#include "model/priors/prior_standing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace weir {
namespace {

// How much other machines and inputs change times: a factor of two is one standard deviation.
constexpr double usual_factor = std::numbers::ln2;
constexpr double knowledge_before = 1 / (usual_factor * usual_factor);
// Huber's constant, in standard deviations, and how often the factor is made anew with other weights.
constexpr double huber = 1.5;
constexpr int rounds = 8;
// A late time counts as three standard deviations, and so does a time for which a model predicts nothing.
constexpr double most_square = 9;
// The sum of squares of a model that fits: 95 % of them stay below after 5 and after 10 observations (chi-square).
constexpr double allowed = 4, allowed_each = 1.5;

}  // namespace

double prior_standing::after(double late_error, double log_error, double kept) {
  constexpr double most_error = std::numbers::ln2;
  const double counted = std::isfinite(log_error) ? std::min(std::abs(log_error), most_error) : most_error;
  return kept * late_error + counted * counted;
}

void prior_standing::judge(double log_ratio, double scatter) {
  if (count_ + silent_ > 0) error_ = after(error_, log_ratio - factor_, kept);
  if (!std::isfinite(log_ratio)) {
    ++silent_;
    return;
  }
  const auto at = static_cast<std::size_t>(count_++);
  log_ratio_[at] = log_ratio;
  scatter_[at] = scatter;
  fit_factor();
}

void prior_standing::fit_factor() {
  std::array<double, most> sorted = log_ratio_;
  const auto middle = sorted.begin() + count_ / 2;
  std::nth_element(sorted.begin(), middle, sorted.begin() + count_);
  factor_ = *middle;
  for (int round = 0; round < rounds; ++round) {
    double weights = knowledge_before, sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i) {
      const double error = std::abs(log_ratio_[i] - factor_) / scatter_[i];
      const double weight = (error > huber ? huber / error : 1) / (scatter_[i] * scatter_[i]);
      weights += weight;
      sum += weight * log_ratio_[i];
    }
    factor_ = sum / weights;
  }
}

double prior_standing::uncertainty() const {
  double weights = knowledge_before;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i) weights += 1 / (scatter_[i] * scatter_[i]);
  return 1 / std::sqrt(weights);
}

double prior_standing::misfit() const {
  double sum = silent_ * most_square;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i) {
    const double error = (log_ratio_[i] - factor_) / scatter_[i];
    sum += std::min(error * error, most_square);
  }
  return sum;
}

double prior_standing::badness() const {
  double out = misfit() + factor_ * factor_ * knowledge_before;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i) out += 2 * std::log(scatter_[i]);
  return out;
}

// A factor explains one of the observations.
bool prior_standing::fits() const { return misfit() <= allowed + allowed_each * (count_ + silent_ - 1); }

}  // namespace weir
