#pragma once

#include "model/weir/law_fit.hpp"

namespace weir {

// The law that explains the sums best, of the family that they support.
struct chosen_law {
  fitted_law fit;
  family kind = family::amdahl;
  double pull = 0;  // the weight given to the prior of alpha; two curves have none
};

// The run-to-run scatter of a warm invocation, assumed before anything was measured. It counts as one observation.
inline constexpr double prior_scatter = 0.1;

// A component deserves many cores if its parallel share is two thirds or more. Such shares lie within two of these
// spreads of the optimistic prior. A wider one (0.25) leaves too much freedom for p that are close together, where one
// invocation in ten is late. A narrower one (0.1) makes the first five observations of components with small alpha
// worse.
inline constexpr double prior_alpha_spread = 0.15;

// Chooses a family and fits its law. Never allocates. REQUIRES: sums.count() > 0.
//
// The prior of alpha is evidence of limited weight. It adds v / prior_alpha_spread^2 (alpha - optimistic_alpha)^2
// to the objective. Let R be the residual sum of squares, R0 the least R without prior, and n = sums.mass(). Then the
// residual variance is
//
//   v = (R0 + prior_scatter^2 / 2^f) / (f + 1),   f = n - parameters.
//
// The assumed scatter halves with each spare observation, because it becomes that much less likely that all fit well by
// luck. So the prior vanishes where there is no noise: from f = 15 on the law is exact to 1e-6.
//
// Two close p, such as 10 and 12, say hardly anything about a small alpha: times differ by 16 % at 0.98 and by 1.5 % at
// 0.5. Without a prior, one late observation makes the curve flat, and one core look as good as ten. Two p that are far
// apart outweigh the prior. A pair at 1 and 48 cores determines alpha = 0.98 to 0.006, even with 10 % scatter.
//
// The family is chosen by the least Bayesian information criterion (Schwarz, Ann. Statist. 6, 1978), where v (f + 1)
// stands for R:
//
//   n ln(v (f + 1) / n) + penalty * parameters * ln n.
//
// Hence a few observations that a richer law happens to meet exactly prove nothing.
//
// The other families are considered once the largest p is twice the smallest: on closer ones a late invocation bends
// any curve. Contention needs three p, one of which is at least 4; otherwise it cannot be told from a smaller alpha.
// The price of fork and join needs the same unless x varies twofold, since that price does not grow with the work. Two
// curves need x to vary twofold.
//
// Where the degree is unknown (sums.roots()), the law has 1, x, x^2 and x^3, or all powers of x up to 4, halves
// included. The latter must lower the criterion by a margin, and so must two curves: both have many columns.
chosen_law choose_law(const power_sums& sums, bool all_families = true);

}  // namespace weir
