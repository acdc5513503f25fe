#pragma once

#include "model/weir/law_fit.hpp"

namespace weir {

// Fits a law whose serial part and parallel part are curves of their own:
//
//   T(x, p) = S(x) + P(x) / p,   S(x) = sum_i s_i u^i,   P(x) = sum_i r_i u^i,   s_i, r_i >= 0.
//
// It is linear in all coefficients, so it is one non-negative least squares problem. Where columns
// are equal, those of P are kept. The columns are those of `start`, whose positive coefficients of Tseq are tried
// first. Never allocates. REQUIRES: as fit_law().
fitted_law fit_two_curves(const power_sums& sums, const component_law& start);

}  // namespace weir
