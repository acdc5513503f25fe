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

using gradient = std::array<double, uncertainty::max_parameters>;

int parameters_of(const rank_one_law& law, family kind) { return law.degree + (kind == family::amdahl ? 2 : 3); }

}  // namespace

uncertainty uncertainty_of(const power_sums& sums, const chosen_law& chosen, double most_scatter) {
  const rank_one_law& law = chosen.fit.law;
  const int k = law.degree, count = parameters_of(law, chosen.kind), alpha = count - 1, further = k + 1;
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
  const auto gram = equations_of(sums, law, false).gram;
  for (int i = 0; i <= k; ++i)
    for (int j = 0; j <= i; ++j) precision(i, j) = gram[i][j];
  for (int index = 0; index < sums.slots(); ++index) {
    const auto slot = sums.at(index);
    const slot_moments m = moments_of(slot, law);
    const double slope = slot.inverse_cores - 1;  // derivative of h by alpha
    for (int i = 0; i <= k; ++i) precision(alpha, i) += slope * m.share * m.powers[i];
    precision(alpha, alpha) += slope * slope * m.square;
    if (chosen.kind == family::contention) {  // the column of contention is P (p - 1)
      for (int i = 0; i <= k; ++i) precision(further, i) += m.further * m.share * m.powers[i];
      precision(further, further) += m.further * m.further * m.square;
      precision(alpha, further) += slope * m.further * m.square;
    }
    if (chosen.kind == family::fork_join) {  // the column of d is p - 1
      for (int i = 0; i <= k; ++i) precision(further, i) += m.further * m.share * slot.s[i];
      precision(further, further) += m.further * m.further * slot.s[0];
      precision(alpha, further) += slope * m.further * m.powers[0];
    }
  }
  const double per_core = 1.0 / out.largest_cores;
  const auto scale = [&](int i) {
    if (i <= k) return out.prior_coefficient;
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

void uncertainty::judge(const rank_one_law& law, double x, int cores, double even_noise, prediction& out) const {
  // An uncertainty of a thousand times the mean says no more than "unknown"; the bound also catches overflow.
  constexpr double most = 1e3;
  // Beyond the largest p the speedup curve may leave the law's by a quarter per doubling. Along x, a cache level that
  // no longer suffices costs some tens of percent over about three octaves.
  constexpr double miss_per_doubling = 0.25, miss_per_octave = 0.1;
  constexpr double half_confidence = 0.25;

  const int k = law.degree, count = parameters_of(law, kind);
  const double p = cores, share = law.share(1 / p);
  gradient row;  // becomes factor^-1 * gradient
  const double u = law.scaled(x);
  double power = prior_coefficient * share;
  for (int i = 0; i <= k; ++i, power *= u) row[i] = power;
  if (kind == family::contention) row[k + 1] = out.sequential * (p - 1) / largest_cores;
  if (kind == family::fork_join) row[k + 1] = prior_coefficient * (p - 1) / largest_cores;
  row[count - 1] = prior_alpha_spread * out.sequential * (1 / p - 1);
  double square = 0;
  const double* entry = factor.data();
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < i; ++j) row[i] -= *entry++ * row[j];
    row[i] *= *entry++;
    square += row[i] * row[i];
  }
  const double base = std::max(out.mean, timer_noise);
  const double known = std::sqrt(square) / base;
  const double g = known < most ? known : most;
  double m = 0;
  if (cores > largest_cores) m += miss_per_doubling * std::log2(p / largest_cores);
  if (x < smallest_x || x > largest_x) m += miss_per_octave * octaves_outside(x, smallest_x, largest_x);
  out.spread = base * std::sqrt(scatter * scatter + g * g + m * m) + even_noise;
  out.confidence = 1 / (1 + (g * g + m * m) / (half_confidence * half_confidence));
  out.extrapolates = x < smallest_x || x > largest_x || cores < smallest_cores || cores > largest_cores;
}

}  // namespace weir
