#pragma once

#include <array>

#include "model/law/power_sums.hpp"
#include "model/prediction.hpp"
#include "model/weir/family.hpp"

namespace weir {

// Two clock reads and a dispatch; times below it are weighed as if they were that long.
inline constexpr double timer_noise = 1e-6;

// How far to trust a fitted law. Plain data; const calls may run concurrently.
//
// All relative to T = T(x, p):
//
//   s^2  residual variance, (R + prior_scatter^2) / (n - parameters + 1)
//   g^2  variance of the mean: Gauss-Newton covariance of the law's parameters under a prior with standard deviations
//        Tseq(largest x) for each c_i, prior_alpha_spread for alpha, and for what a further core costs a whole Tseq on
//        the largest p seen; so it is wide where only one x or one p was seen
//   m    what the law itself may miss beyond the data: 0.25 log2(p / largest p) + 0.1 |log2(x / nearest x seen)|, ten
//   octaves at most
//
//   spread = T sqrt(s^2 + g^2 + m^2) + even noise,   confidence = 1 / (1 + (g^2 + m^2) / 0.25^2)
//
// Confidence grows with data at constant s, and is one half where the mean is known to a quarter.
struct uncertainty {
  double scatter = prior_scatter;  // s
  // Whether alpha is known at least twice as well as before the first observation: its posterior spread (that of g^2)
  // is less than half of prior_alpha_spread, so that the data say most of what is known. False with one p seen.
  bool alpha_known = false;

  // Sets spread, confidence and extrapolates of the law's prediction, whose mean and sequential are there. `even_noise`
  // is what the time of every invocation scatters by however short it is, seconds.
  void judge(const rank_one_law& law, double x, int cores, double even_noise, prediction& out) const;

  // Private to the functions of this file: the ranges seen, prior scales, and the lower Cholesky factor, by rows
  // without what is above its diagonal, of the posterior precision of (c_0 .. c_k, what a further core costs, alpha) in
  // units of their prior standard deviations. The diagonal is stored inverted.
  static constexpr int max_parameters = rank_one_law::max_degree + 3;
  int smallest_cores = 0, largest_cores = 0;
  double smallest_x = 0, largest_x = 0;
  double prior_coefficient = 0;
  family kind = family::amdahl;
  std::array<double, max_parameters*(max_parameters + 1) / 2> factor{};
};

// Of the law that was chosen for these sums; s is `most_scatter` at most, which a robust estimate may know. Never
// allocates.
uncertainty uncertainty_of(const power_sums& sums, const chosen_law& chosen, double most_scatter);

}  // namespace weir
