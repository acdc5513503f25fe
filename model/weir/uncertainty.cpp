#include "model/weir/uncertainty.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "model/weir/law_moments.hpp"

namespace weir {
namespace {

// |log2(value / nearest point of [low, high])|, at most 10. The bound matters where value or low is 0: a model is blind
// ten octaves away.
double octaves_outside(double value, double low, double high) {
  constexpr double most = 10;
  if (value > high) return std::min(std::log2(value / high), most);
  if (value < low) return std::min(std::log2(low / value), most);
  return 0;
}

bool has_further(family kind) { return kind == family::contention || kind == family::fork_join; }

int parameters_of(const component_law& law, family kind) { return law.columns() + (has_further(kind) ? 2 : 1); }

// g in seconds, squared, at several x on the same cores. All steps are loops over the x, which run side by side.
template <std::size_t N>
std::array<double, N> errors_of_means(const uncertainty& by, const component_law& law, int cores,
                                      const std::array<double, N>& x, const std::array<double, N>& sequential) {
  using numbers = std::array<double, N>;
  const int columns = law.columns(), count = parameters_of(law, by.kind);
  const double p = cores, common = law.share(1 / p);
  std::array<numbers, uncertainty::max_parameters> row;  // becomes factor^-1 * gradient
  numbers u, power;
  for (std::size_t n = 0; n < N; ++n) u[n] = law.scaled(x[n]);
  power.fill(by.prior_coefficient);
  for (int i = 0, at = 0; i <= law.highest(); ++i) {
    if (i % law.step == 0) {
      const double share = law.two_curves ? law.share_of(i, 1 / p) : common;
      for (std::size_t n = 0; n < N; ++n) row[at][n] = power[n] * share;
      ++at;
    }
    for (std::size_t n = 0; n < N; ++n) power[n] *= u[n];
  }
  for (std::size_t n = 0; n < N; ++n) {
    if (by.kind == family::contention) row[columns][n] = sequential[n] * (p - 1) / by.largest_cores;
    if (by.kind == family::fork_join) row[columns][n] = by.prior_coefficient * (p - 1) / by.largest_cores;
    row[count - 1][n] = prior_alpha_spread * sequential[n] * (1 / p - 1);
  }
  numbers square{};
  const double* entry = by.factor.data();
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < i; ++j, ++entry)
      for (std::size_t n = 0; n < N; ++n) row[i][n] -= *entry * row[j][n];
    for (std::size_t n = 0; n < N; ++n) row[i][n] *= *entry, square[n] += row[i][n] * row[i][n];
    ++entry;
  }
  return square;
}

// How far a mean may be from the truth, relative to it: g^2 + m^2.
struct misfit {
  double base, square;

  misfit(const uncertainty& by, double x, int cores, double mean, double mean_error) : base(mean) {
    // An uncertainty of a thousand times the mean says no more than "unknown"; the bound also catches overflow.
    constexpr double most = 1e3;
    // Beyond the largest p the speedup curve may leave the law's by a quarter per doubling. Along x, a cache level that
    // no longer suffices costs some tens of percent over about three octaves.
    constexpr double miss_per_doubling = 0.25, miss_per_octave = 0.1;
    const double known = std::sqrt(mean_error) / base;
    const double g = known < most ? known : most;
    double m = 0;
    if (cores > by.largest_cores) m += miss_per_doubling * std::log2(static_cast<double>(cores) / by.largest_cores);
    if (x < by.smallest_x || x > by.largest_x) m += miss_per_octave * octaves_outside(x, by.smallest_x, by.largest_x);
    square = g * g + m * m;
  }

  double spread(double variance, double even_noise) const { return base * std::sqrt(variance + square) + even_noise; }
};

}  // namespace

uncertainty uncertainty_of(const power_sums& sums, const chosen_law& chosen, double most_scatter) {
  const component_law& law = chosen.fit.law;
  const int columns = law.columns(), count = parameters_of(law, chosen.kind), alpha = count - 1, further = columns;
  uncertainty out;
  out.kind = chosen.kind;
  out.smallest_cores = sums.smallest_cores();
  out.largest_cores = sums.largest_cores();
  out.smallest_x = sums.smallest_x();
  out.largest_x = sums.largest_x();
  out.prior_coefficient = law.sequential(sums.largest_x());
  const double freedom = std::max(sums.mass() - chosen.fit.parameters, 0.0);
  const double residual = (chosen.fit.residual + prior_scatter * prior_scatter) / (freedom + 1);
  out.scatter = std::min(std::sqrt(residual), most_scatter);
  const double variance = out.scatter * out.scatter;

  using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, uncertainty::max_parameters,
                               uncertainty::max_parameters>;
  matrix precision = matrix::Zero(count, count);  // on the stack, as its size is bounded
  for (int index = 0; index < sums.slots(); ++index) {
    const auto slot = sums.at(index);
    const slot_moments m = moments_of(slot, law);
    std::array<double, component_law::max_degree + 1> share;
    for (int i = 0; i < columns; ++i)
      share[i] = law.two_curves ? law.share_of(i * law.step, slot.inverse_cores) : m.share;
    for (int i = 0; i < columns; ++i)
      for (int j = 0; j <= i; ++j) precision(i, j) += share[i] * share[j] * slot.s[(i + j) * law.step];
    const double slope = slot.inverse_cores - 1;  // derivative of h by alpha
    for (int i = 0; i < columns; ++i) precision(alpha, i) += slope * share[i] * m.powers[i * law.step];
    precision(alpha, alpha) += slope * slope * m.square;
    if (chosen.kind == family::contention) {  // the column of contention is P (p - 1)
      for (int i = 0; i < columns; ++i) precision(further, i) += m.further * share[i] * m.powers[i * law.step];
      precision(further, further) += m.further * m.further * m.square;
      precision(alpha, further) += slope * m.further * m.square;
    }
    if (chosen.kind == family::fork_join) {  // the column of d is p - 1
      for (int i = 0; i < columns; ++i) precision(further, i) += m.further * share[i] * slot.s[i * law.step];
      precision(further, further) += m.further * m.further * slot.s[0];
      precision(alpha, further) += slope * m.further * m.powers[0];
    }
  }
  const double per_core = 1.0 / out.largest_cores;
  const auto scale = [&](int i) {
    if (i < columns) return out.prior_coefficient;
    if (i == alpha) return prior_alpha_spread;
    return chosen.kind == family::contention ? per_core : out.prior_coefficient * per_core;
  };
  for (int i = 0; i < count; ++i)
    for (int j = 0; j <= i; ++j) precision(i, j) *= scale(i) * scale(j) / variance;
  // The prior, kept large enough to exceed the rounding of the data's part.
  precision.diagonal().array() += std::max(1.0, 1e-12 * precision.diagonal().maxCoeff());
  const Eigen::LLT<matrix, Eigen::Lower> factor(precision);
  for (int i = 0, at = 0; i < count; ++i)
    for (int j = 0; j <= i; ++j, ++at)
      out.factor[at] = i == j ? 1 / factor.matrixLLT()(i, i) : factor.matrixLLT()(i, j);
  // Alpha comes last, so the last pivot is the ratio of its prior spread to its posterior spread.
  out.alpha_known = sums.slots() > 1 && factor.matrixLLT()(alpha, alpha) > 2;
  return out;
}

void uncertainty::judge(const component_law& law, double x, int cores, double even_noise, const level& about,
                        prediction& out) const {
  constexpr double half_confidence = 0.25;
  const double mean_error = errors_of_means<1>(*this, law, cores, {x}, {out.sequential})[0];
  misfit m(*this, x, cores, std::max(out.mean, timer_noise), mean_error);
  m.square += about.error;
  out.spread = m.spread(scatter * scatter + about.scatter, even_noise);
  out.uncertainty = m.base * std::sqrt(m.square);
  out.confidence = 1 / (1 + m.square / (half_confidence * half_confidence));
  out.extrapolates = x < smallest_x || x > largest_x || cores < smallest_cores || cores > largest_cores;
}

std::array<double, uncertainty::together> uncertainty::spreads(const component_law& law, int cores, double even_noise,
                                                               const several& of) const {
  const std::array<double, together> mean_errors = errors_of_means<together>(*this, law, cores, of.x, of.sequential);
  const double variance = scatter * scatter;
  std::array<double, together> result;
  for (std::size_t k = 0; k < together; ++k)
    result[k] =
        misfit(*this, of.x[k], cores, std::max(of.mean[k], timer_noise), mean_errors[k]).spread(variance, even_noise);
  return result;
}

}  // namespace weir
