#pragma once

#include <array>
#include <cstdint>

#include "model/power_sums.hpp"
#include "model/prediction.hpp"
#include "model/rank_one_law.hpp"

namespace weir {

// A rank-one law fitted to power sums, and how far to trust it. Plain data; const calls may run concurrently.
//
// The fit is weighted least squares with c >= 0 and 0 <= alpha <= 1, in which the prior of alpha weighs what evidence
// of spread prior_alpha_spread weighs. With R the weighted residual sum of squares it minimises over c and alpha
//
//   R(c, alpha) + v / prior_alpha_spread^2 (alpha - optimistic_alpha)^2
//   v = (R0 + prior_scatter^2 / 2^f) / (f + 1),   R0 the least R,   f = observations - parameters
//
// v is the residual variance; the scatter assumed beforehand halves with each spare observation, since that so many fit
// well by luck gets as unlikely. So without noise the prior vanishes: from f = 15 on the law is exact to 1e-6.
//
// Two close p, as 10 and 12, tell hardly anything of small alpha (times differ by 16 % at 0.98, by 1.5 % at 0.5):
// without a prior one late observation makes the curve flat, and one core look as good as ten. One p far from the other
// decides by itself: with 10 % scatter, a pair at 1 and 48 cores knows alpha = 0.98 to 0.006.
//
// For a given alpha, c is the non-negative least squares solution of the normal equations assembled from the sums; for
// that c, a Gauss-Newton step in alpha and the scale of c improves alpha. Alternating the two has a fixed point in the
// one number alpha, in [0, 1], which bracketed false position finds in fewer steps than plain alternation. It is sought
// twice, for R0 and with the prior, from optimistic_alpha. Columns of c that the data cannot tell from those already
// taken are dropped; of equal ones the highest degree is kept.
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
  // Parallel shares from two thirds upwards, of which it pays to give a component many cores, lie within two of these
  // of the optimistic prior. A wider one (0.25) leaves close p too much room where one invocation in ten is late, a
  // narrower one (0.1) makes the first five observations of components with small alpha worse.
  static constexpr double prior_alpha_spread = 0.15;
  // Two clock reads and a dispatch; times below it are weighed as if they were that long.
  static constexpr double timer_noise = 1e-6;

  rank_one_law law;
  // Whether alpha is known at least twice as well as before the first observation: its posterior spread (that
  // of g^2) is less than half of prior_alpha_spread, so that the data say most of what is known. False with
  // one p seen.
  bool alpha_known = false;
  std::uint64_t observations = 0;
  double scatter = prior_scatter;  // s

  // REQUIRES: observations > 0.
  prediction predict(double x, int cores) const;

  // v / prior_alpha_spread^2, the weight of the prior of alpha against R.
  double alpha_pull = 0;

  // Private to the fit: ranges seen, prior scales, and the lower Cholesky factor of the posterior precision of
  // (c_0 .. c_k, alpha) in units of their prior standard deviations, row by row.
  int smallest_cores = 0, largest_cores = 0;
  double smallest_x = 0, largest_x = 0;
  double prior_coefficient = 0;
  std::array<std::array<double, rank_one_law::max_degree + 2>, rank_one_law::max_degree + 2> factor{};
};

// The fit to everything in `sums`; without observations, a fit with observations == 0. Never allocates.
// REQUIRES: sums.degree() <= rank_one_law::max_degree.
rank_one_fit fit_rank_one(const power_sums& sums);

}  // namespace weir
