#include "model/papers/simple_amdahl.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/law/component_law.hpp"
#include "model/law/scatter.hpp"

namespace weir {
namespace {

// Whether n observations can have these means of q and t, and sums of products of the deviations from them.
bool can_be_sums(std::span<const double> sums, double n) {
  const double largest = n * longest_usable;
  return sums[0] >= 0.5 / std::numeric_limits<int>::max() && sums[0] <= 1 && is_mean_time(sums[1]) && sums[2] >= 0 &&
         sums[2] <= n && std::abs(sums[3]) <= largest && sums[4] >= 0 && sums[4] <= largest * longest_usable;
}

}  // namespace

void simple_amdahl::learn(const observation& seen) {
  seen_.add(seen);
  const double n = static_cast<double>(seen_.observations), q = 1.0 / seen.cores;
  const double dq = q - mean_q_, dt = seen.seconds - mean_t_;
  mean_q_ += dq / n;
  mean_t_ += dt / n;
  qq_ += dq * (q - mean_q_);
  qt_ += dq * (seen.seconds - mean_t_);
  tt_ += dt * (seen.seconds - mean_t_);
}

simple_amdahl::line simple_amdahl::fit() const {
  if (!is_alpha_known() || !(qq_ > 0)) {
    const double sequential = mean_t_ / component_law{}.share(mean_q_);
    return {(1 - optimistic_alpha) * sequential, optimistic_alpha * sequential};
  }
  const double slope = qt_ / qq_, intercept = mean_t_ - slope * mean_q_;
  if (slope < 0) return {mean_t_, 0};
  if (intercept >= 0) return {intercept, slope};
  const double n = static_cast<double>(seen_.observations);
  return {0, (qt_ + n * mean_q_ * mean_t_) / (qq_ + n * mean_q_ * mean_q_)};
}

scatter simple_amdahl::scatter_about(const line& fitted) const {
  const double n = static_cast<double>(seen_.observations);
  const double off = mean_t_ - fitted.intercept - fitted.slope * mean_q_;
  const double square = tt_ - 2 * fitted.slope * qt_ + fitted.slope * fitted.slope * qq_ + n * off * off;
  return {.square = std::max(square, 0.0) / (mean_t_ * mean_t_), .observations = n, .parameters = 2};
}

prediction simple_amdahl::predicted(double x, int cores) const {
  const line fitted = fit();
  return {.mean = fitted.at(cores),
          .spread = scatter_about(fitted).expected() * fitted.at(cores),
          .alpha = fitted.alpha(),
          .sequential = fitted.sequential(),
          .confidence = seen_.confidence(x, cores, 2),
          .extrapolates = !seen_.holds(x, cores)};
}

description simple_amdahl::described(description out) const {
  out.alpha_known = is_alpha_known();
  out.coefficients = {0};
  if (seen_.observations > 0) {
    const line fitted = fit();
    out.alpha = fitted.alpha();
    out.coefficients = {fitted.sequential()};
    out.scatter = scatter_about(fitted).seen();
  }
  return out;
}

std::unique_ptr<estimator> simple_amdahl::clone() const { return std::make_unique<simple_amdahl>(*this); }

std::vector<double> simple_amdahl::numbers() const {
  std::vector<double> out = seen_.numbers();
  out.insert(out.end(), {mean_q_, mean_t_, qq_, qt_, tt_});
  return out;
}

bool simple_amdahl::assign(std::span<const double> numbers) {
  if (numbers.size() != coverage::size + 5) return false;
  if (!std::ranges::all_of(numbers, [](double v) { return std::isfinite(v); })) return false;
  const auto sums = numbers.last(5);
  coverage seen;
  if (!seen.assign(numbers.first(coverage::size))) return false;
  const double n = static_cast<double>(seen.observations);
  if (n == 0 ? std::ranges::any_of(sums, [](double v) { return v != 0; }) : !can_be_sums(sums, n)) return false;
  seen_ = seen;
  mean_q_ = sums[0];
  mean_t_ = sums[1];
  qq_ = sums[2];
  qt_ = sums[3];
  tt_ = sums[4];
  return true;
}

}  // namespace weir
