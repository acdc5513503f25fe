#pragma once

#include <array>

#include <weir/model/prediction.hpp>
#include "model/law/power_sums.hpp"
#include "model/weir/family.hpp"
#include "model/weir/level.hpp"

namespace weir {

// Seconds for two clock reads and a dispatch. Shorter times are weighed as if they were this long.
inline constexpr double timer_noise = 1e-6;

// How far to trust a fitted law. Plain data; const calls may run concurrently. All parts are relative to T = T(x, p):
//
//   `s^2`  Residual variance, (R + prior_scatter^2) / (n - parameters + 1).
//   `g^2`  Variance of the mean: the Gauss-Newton covariance of the law's parameters under a prior.
//   `m`    Error of the law itself beyond the data: 0.25 log2(p / largest p) + 0.1 |log2(x / nearest x seen)|. The
//          second term counts ten octaves at most.
//
// The prior's standard deviations are Tseq(largest x) for each c_i and prior_alpha_spread for alpha. For the cost of
// further cores it is a whole Tseq on the largest p seen. So g is large where only one x or one p was seen. Together:
//
//   spread = T sqrt(s^2 + g^2 + m^2) + even noise,   uncertainty = T sqrt(g^2 + m^2),
//   confidence = 1 / (1 + (g^2 + m^2) / 0.25^2).
//
// At constant s, confidence grows with data. It is one half where the mean is known to a quarter.
struct uncertainty {
  double scatter = prior_scatter;  // s
  // Whether alpha is known at least twice as well as before the first observation. Then its posterior spread, the alpha
  // part of g^2, is less than half of prior_alpha_spread, so most of the knowledge comes from data. False with one p
  // seen.
  bool alpha_known = false;

  // Sets spread, uncertainty, confidence and extrapolates of the law's prediction, whose mean and sequential are
  // already set. `even_noise`, in seconds, is how much the time of every invocation scatters, however short it is.
  // Further scatter and error are those of `about`.
  void judge(const component_law& law, double x, int cores, double even_noise, const level& about,
             prediction& out) const;

  // Inputs of one model on the same cores: their means and Tseq in seconds. Plain data.
  static constexpr std::size_t together = 8;
  struct several {
    std::array<double, together> x{}, sequential{}, mean{};
  };
  // The spreads of these predictions, as judge() gives them one at a time.
  std::array<double, together> spreads(const component_law& law, int cores, double even_noise, const several& of) const;

  // Private to the functions of this file: the ranges seen, the prior scales and a Cholesky factor. The factor is of
  // the posterior precision of (c_0 .. c_k, the cost of a further core, alpha), in units of their prior standard
  // deviations. It is lower triangular, stored by rows without the zeros above the diagonal, with the diagonal
  // inverted.
  static constexpr int max_parameters = component_law::max_degree + 3;
  int smallest_cores = 0, largest_cores = 0;
  double smallest_x = 0, largest_x = 0;
  double prior_coefficient = 0;
  family kind = family::amdahl;
  std::array<double, max_parameters*(max_parameters + 1) / 2> factor{};
};

// The uncertainty of the law that was chosen for these sums. s is at most `most_scatter`, which a robust estimate of
// the scatter gives. Never allocates.
uncertainty uncertainty_of(const power_sums& sums, const chosen_law& chosen, double most_scatter);

}  // namespace weir
