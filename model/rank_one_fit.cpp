#include "model/rank_one_fit.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "model/non_negative.hpp"

namespace weir {
namespace {

constexpr int max_columns = rank_one_law::max_degree + 2;

// Over everything seen, with the law's alpha: G_ij = sum_p h(p)^2 S_{i+j}, b_i = sum_p h(p) B_i.
normal_equations equations_for_c(const power_sums& sums, const rank_one_law& law) {
  std::array<double, 2 * rank_one_law::max_degree + 1> powers{};
  normal_equations out{.size = law.degree + 1};
  for (int index = 0; index < sums.slots(); ++index) {
    const auto slot = sums.at(index);
    const double share = law.share(slot.inverse_cores);
    for (int m = 0; m <= 2 * law.degree; ++m) powers[m] += share * share * slot.s[m];
    for (int i = 0; i <= law.degree; ++i) out.right[i] += share * slot.b[i];
  }
  for (int i = 0; i <= law.degree; ++i)
    for (int j = 0; j <= law.degree; ++j) out.gram[i][j] = powers[i + j];
  return out;
}

// sum w Tseq^2 and sum w Tseq t over one slot.
struct moments {
  double square, product;
};
moments moments_of(const power_sums::slot& slot, const rank_one_law& law) {
  moments out{0, 0};
  for (int i = 0; i <= law.degree; ++i) {
    out.product += law.c[i] * slot.b[i];
    for (int j = 0; j <= law.degree; ++j) out.square += law.c[i] * law.c[j] * slot.s[i + j];
  }
  return out;
}

// How far one Gauss-Newton step, with the scale of c free, would move alpha towards the optimum of the residual sum of
// squares + pull * (alpha - optimistic_alpha)^2. REQUIRES: the law's c is the best for its alpha.
double step_of(const power_sums& sums, const rank_one_law& law, double pull) {
  double descent = 0, steep = 0, mixed = 0, flat = 0;  // in alpha; in alpha, in both, in the scale
  for (int index = 0; index < sums.slots(); ++index) {
    const auto slot = sums.at(index);
    const double slope = slot.inverse_cores - 1, share = law.share(slot.inverse_cores);
    const auto [square, product] = moments_of(slot, law);
    descent += slope * (product - share * square);
    steep += slope * slope * square, mixed += slope * share * square, flat += share * share * square;
  }
  const double curvature = flat > 0 ? std::max(steep - mixed * mixed / flat, 1e-12 * steep) : 0;
  const double whole = curvature + pull;
  if (!(whole > 0)) return 0;
  const double wanted = law.alpha + (descent + pull * (optimistic_alpha - law.alpha)) / whole;
  return std::clamp(wanted, 0.0, 1.0) - law.alpha;
}

// Sets law.c for law.alpha, and returns how far alpha would move from there.
double alternate(const power_sums& sums, rank_one_law& law, double pull) {
  law.c = solve_non_negative(equations_for_c(sums, law));
  return step_of(sums, law, pull);
}

// Illinois' false position on "how far would alpha move", which is >= 0 at 0 and <= 0 at 1.
void fit_law(const power_sums& sums, rank_one_law& law, double pull) {
  constexpr double settled = 1e-11;
  constexpr int most_steps = 50;  // each of them at least narrows the bracket; 6 to 10 is usual
  double near = law.alpha;
  double near_move = alternate(sums, law, pull);
  if (sums.slots() < 2 || std::abs(near_move) < settled) return;
  double far = law.alpha = near_move > 0 ? 1 : 0;
  double far_move = alternate(sums, law, pull);
  for (int step = 0; step < most_steps && std::abs(far_move) >= settled && std::abs(far - near) >= settled; ++step) {
    law.alpha =
        std::clamp(far - far_move * (far - near) / (far_move - near_move), std::min(near, far), std::max(near, far));
    const double move = alternate(sums, law, pull);
    if ((move > 0) != (far_move > 0)) {
      near = far, near_move = far_move;
    } else {
      near_move /= 2;
    }
    far = law.alpha, far_move = move;
  }
}

double residual_square(const power_sums& sums, const rank_one_law& law) {
  double total = 0;
  for (int index = 0; index < sums.slots(); ++index) {
    const auto slot = sums.at(index);
    const double share = law.share(slot.inverse_cores);
    const auto [square, product] = moments_of(slot, law);
    total += slot.y - 2 * share * product + share * share * square;
  }
  return std::max(total, 0.0);
}

// Observations beyond what determines the law.
double freedom_of(const power_sums& sums, const rank_one_law& law) {
  const auto columns = std::count_if(law.c.begin(), law.c.end(), [](double c) { return c > 0; }) + (sums.slots() > 1);
  return std::max(static_cast<double>(sums.count()) - static_cast<double>(columns), 0.0);
}

// What the prior of alpha weighs against the residuals of the fit without it.
double pull_of(const power_sums& sums, const rank_one_law& law) {
  const double freedom = freedom_of(sums, law);
  constexpr double scatter = rank_one_fit::prior_scatter, spread = rank_one_fit::prior_alpha_spread;
  const double variance = (residual_square(sums, law) + scatter * scatter * std::exp2(-freedom)) / (freedom + 1);
  return variance / (spread * spread);
}

void fit_uncertainty(const power_sums& sums, rank_one_fit& fit) {
  const rank_one_law& law = fit.law;
  const int k = law.degree;
  constexpr double prior = rank_one_fit::prior_scatter;
  const double variance = (residual_square(sums, law) + prior * prior) / (freedom_of(sums, law) + 1);
  fit.scatter = std::sqrt(variance);
  fit.prior_coefficient = law.sequential(sums.largest_x());

  using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, max_columns, max_columns>;
  matrix precision = matrix::Zero(k + 2, k + 2);  // on the stack, as its size is bounded
  const auto gram = equations_for_c(sums, law).gram;
  for (int i = 0; i <= k; ++i)
    for (int j = 0; j <= k; ++j) precision(i, j) = gram[i][j];
  for (int index = 0; index < sums.slots(); ++index) {
    const auto slot = sums.at(index);
    const double slope = slot.inverse_cores - 1;  // of the share of one core's time, in alpha
    for (int i = 0; i <= k; ++i)
      for (int j = 0; j <= k; ++j)
        precision(k + 1, i) += slope * law.share(slot.inverse_cores) * law.c[j] * slot.s[i + j];
    precision(k + 1, k + 1) += slope * slope * moments_of(slot, law).square;
  }
  const auto scale = [&](int i) { return i <= k ? fit.prior_coefficient : rank_one_fit::prior_alpha_spread; };
  for (int i = 0; i <= k + 1; ++i)
    for (int j = 0; j <= i; ++j) precision(i, j) *= scale(i) * scale(j) / variance;
  // The prior, kept large enough to stay above the rounding of the data's part.
  precision.diagonal().array() += std::max(1.0, 1e-12 * precision.diagonal().maxCoeff());
  const Eigen::LLT<matrix, Eigen::Lower> factor(precision);
  for (int i = 0; i <= k + 1; ++i)
    for (int j = 0; j <= i; ++j) fit.factor[i][j] = factor.matrixLLT()(i, j);
  // Alpha comes last, so the last pivot is how many times narrower it is known than before.
  fit.alpha_known = sums.slots() > 1 && fit.factor[k + 1][k + 1] > 2;
}

// |log2(value / nearest point of [low, high])|. Bounded where value or low is 0: ten octaves away is as good as blind.
double octaves_outside(double value, double low, double high) {
  constexpr double most = 10;
  if (value > high) return std::min(std::log2(value / high), most);
  if (value < low) return std::min(std::log2(low / value), most);
  return 0;
}

}  // namespace

rank_one_fit fit_rank_one(const power_sums& sums) {
  rank_one_fit fit;
  fit.law.degree = sums.degree();
  fit.law.exponent = sums.exponent();
  fit.observations = sums.count();
  if (sums.count() == 0) return fit;
  fit.smallest_cores = sums.smallest_cores();
  fit.largest_cores = sums.largest_cores();
  fit.smallest_x = sums.smallest_x();
  fit.largest_x = sums.largest_x();
  fit_law(sums, fit.law, 0);
  fit.alpha_pull = pull_of(sums, fit.law);
  fit_law(sums, fit.law, fit.alpha_pull);
  fit_uncertainty(sums, fit);
  return fit;
}

prediction rank_one_fit::predict(double x, int cores) const {
  // An uncertainty of a thousand times the mean says no more than "unknown"; the bound also catches overflow.
  constexpr double most = 1e3;
  // Beyond the largest p the speedup curve may bend away from Amdahl's by a quarter a doubling; a cache level that no
  // longer fits costs some tens of percent over about three octaves of x.
  constexpr double miss_per_doubling = 0.25, miss_per_octave = 0.1;
  constexpr double half_confidence = 0.25;

  const int k = law.degree;
  x = std::max(0.0, x);
  cores = std::max(cores, 1);
  const double inverse_cores = 1.0 / cores;
  const double sequential = law.sequential(x);
  const double mean = sequential * law.share(inverse_cores);

  std::array<double, max_columns> gradient{};  // becomes factor^-1 * gradient
  const double u = law.scaled(x);
  double power = prior_coefficient * law.share(inverse_cores);
  for (int i = 0; i <= k; ++i, power *= u) gradient[i] = power;
  gradient[k + 1] = prior_alpha_spread * sequential * (inverse_cores - 1);
  double square = 0;
  for (int i = 0; i <= k + 1; ++i) {
    for (int j = 0; j < i; ++j) gradient[i] -= factor[i][j] * gradient[j];
    gradient[i] /= factor[i][i];
    square += gradient[i] * gradient[i];
  }
  const double base = std::max(mean, timer_noise);
  const double known = std::sqrt(square) / base;
  const double g = known < most ? known : most;
  const double m = miss_per_doubling * std::max(0.0, std::log2(cores / static_cast<double>(largest_cores))) +
                   miss_per_octave * octaves_outside(x, smallest_x, largest_x);

  prediction out;
  out.mean = mean;
  out.spread = base * std::sqrt(scatter * scatter + g * g + m * m) + timer_noise;
  out.alpha = law.alpha;
  out.sequential = sequential;
  out.confidence = 1 / (1 + (g * g + m * m) / (half_confidence * half_confidence));
  out.extrapolates = x < smallest_x || x > largest_x || cores < smallest_cores || cores > largest_cores;
  return out;
}

}  // namespace weir
