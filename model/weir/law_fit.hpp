#pragma once

#include "model/law/component_law.hpp"
#include "model/law/power_sums.hpp"

namespace weir {

// A law fitted to power sums, and the residual of the fit. Plain data.
struct fitted_law {
  component_law law;
  double residual = 0;   // R = sum w (t - T(x, p))^2
  double objective = 0;  // R + pull (alpha - optimistic_alpha)^2
  int parameters = 0;    // determined by the data: positive coefficients and the curve's parameters
};

// Fits one family's law by weighted least squares, with no negative coefficient and 0 <= alpha <= 1. `pull` is the
// weight of the prior of alpha:
//
//   minimise  sum w (t - T(x, p))^2 + pull (alpha - optimistic_alpha)^2.
//
// Let theta be the curve's parameters: alpha, and contention in its family. For a given theta the law is linear in c
// and d. These are then the non-negative least squares solution of normal equations assembled from the sums.
//
// The objective of theta alone that remains is minimised by Gauss-Newton steps (variable projection: Golub & Pereyra,
// SIAM J. Numer. Anal. 10, 1973). The steps take the response of c and d into account. They are kept inside the bounds,
// and halved while they do not descend. Columns of c that the data cannot tell from those already taken are dropped; of
// equal ones the highest degree is kept.
//
// Where times only rise with p, the best law would have no work, and predict nothing for one core. So a further core
// costs at most 8 times the work. Contention is at most 8; and where d would be more than 8 Tseq(largest x), c[0] is at
// least d / 8.
//
// `start` gives the first theta and the columns to try first. Never allocates. REQUIRES: sums.count() > 0;
// sums.degree() <= component_law::max_degree; start of the same degree.
fitted_law fit_law(const power_sums& sums, family kind, double pull, const component_law& start);

}  // namespace weir
