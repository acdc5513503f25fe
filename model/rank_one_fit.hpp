#pragma once

#include <array>
#include <cstdint>

#include "model/power_sums.hpp"
#include "model/prediction.hpp"
#include "model/rank_one_law.hpp"

namespace weir {

// A rank-one law fitted to power sums, and how far to trust it. Plain data; const calls may run concurrently.
//
// The fit is weighted least squares with c >= 0 and 0 <= alpha <= 1. For a given alpha, c is the non-negative least
// squares solution of the normal equations assembled from the sums; for a given c, (q0, q1) is one of a 2 x 2 system,
// and alpha = q0 / (q0 + q1). Alternating the two has a fixed point in the one number alpha, in [0, 1], which bracketed
// false position finds in fewer steps than plain alternation. The search starts from optimistic_alpha, so where the
// data leave alpha open it stays there. Columns of c that the data cannot tell from those already taken are dropped; of
// equal ones the highest degree is kept.
//
// How far to trust it, all relative to T = T(x, p):
//
//   s^2  residual variance, (weighted residual sum of squares + prior_scatter^2) / (n - columns + 1)
//   g^2  variance of the mean: Gauss-Newton covariance of (c, alpha) under a prior with standard deviations Tseq at the
//        largest x for each c_i and prior_alpha_spread for alpha; so it is wide where only one x or one p was seen
//   m    what the law itself may miss beyond the data: 0.25 log2(p / largest p) + 0.1 |log2(x / nearest x seen)|
//
//   spread = T sqrt(s^2 + g^2 + m^2) + timer_noise,   confidence = 1 / (1 + (g^2 + m^2) / 0.25^2)
//
// Confidence grows with data at constant s, and is one half where the mean is known to a quarter.
struct rank_one_fit {
  // Run-to-run scatter of a warm invocation before anything was measured: it counts as one observation.
  static constexpr double prior_scatter = 0.1;
  // Parallel shares from one half upwards lie within two of these of the optimistic prior.
  static constexpr double prior_alpha_spread = 0.25;
  // Two clock reads and a dispatch; times below it are weighed as if they were that long.
  static constexpr double timer_noise = 1e-6;

  rank_one_law law;
  bool alpha_known = false;
  std::uint64_t observations = 0;
  double scatter = prior_scatter;  // s

  // REQUIRES: observations > 0.
  prediction predict(double x, int cores) const;

  // Private to the fit: ranges seen, prior scales, and the lower Cholesky factor of the posterior precision of
  // (c_0 .. c_k, alpha) in units of their prior standard deviations, row by row.
  int largest_cores = 0;
  double smallest_x = 0, largest_x = 0;
  double prior_coefficient = 0;
  std::array<std::array<double, rank_one_law::max_degree + 2>, rank_one_law::max_degree + 2> factor{};
};

// The fit to everything in `sums`; without observations, a fit with observations == 0. Never allocates.
// REQUIRES: sums.degree() <= rank_one_law::max_degree.
rank_one_fit fit_rank_one(const power_sums& sums);

}  // namespace weir
