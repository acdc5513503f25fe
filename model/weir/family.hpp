#pragma once

#include "model/weir/law_fit.hpp"

namespace weir {

// The law that explains the sums best, of the family they speak for.
struct chosen_law {
  fitted_law fit;
  family kind = family::amdahl;
  double pull = 0;  // the weight that the prior of alpha had
};

// Run-to-run scatter of a warm invocation before anything was measured: it counts as one observation.
inline constexpr double prior_scatter = 0.1;

// Parallel shares from two thirds upwards, of which it pays to give a component many cores, lie within two of these of
// the optimistic prior. A wider one (0.25) leaves close p too much room where one invocation in ten is late, a narrower
// one (0.1) makes the first five observations of components with small alpha worse.
inline constexpr double prior_alpha_spread = 0.15;

// Chooses a family and fits its law. Never allocates. REQUIRES: sums.count() > 0.
//
// **The prior of alpha** is evidence of limited weight. With R the residual sum of squares and n = sums.mass() it joins
// the objective as v / prior_alpha_spread^2 (alpha - optimistic_alpha)^2, where
//
//   v = (R0 + prior_scatter^2 / 2^f) / (f + 1),   R0 the least R without prior,   f = n - parameters
//
// v is the residual variance; the scatter assumed beforehand halves with each spare observation, since that so many fit
// well by luck gets as unlikely. So without noise the prior vanishes: from f = 15 on the law is exact to 1e-6.
//
// Two close p, as 10 and 12, tell hardly anything of small alpha (times differ by 16 % at 0.98, by 1.5 % at 0.5):
// without a prior one late observation makes the curve flat, and one core look as good as ten. One p far from the other
// decides by itself: with 10 % scatter, a pair at 1 and 48 cores knows alpha = 0.98 to 0.006.
//
// **The family** is the one with the least Bayesian information criterion (Schwarz, Ann. Statist. 6, 1978), with v (f +
// 1) for R, so that few observations which a richer law happens to meet exactly prove nothing:
//
//   n ln(v (f + 1) / n) + penalty * parameters * ln n
//
// The other families are considered once the largest p is twice the smallest: on closer ones a late invocation bends
// any curve. Contention needs three p, of which one is at least 4: with two, or below that, it cannot be told from a
// smaller alpha. So does the price of fork and join, unless x varies twofold: it does not grow with the work.
chosen_law choose_law(const power_sums& sums, bool all_families = true);

}  // namespace weir
