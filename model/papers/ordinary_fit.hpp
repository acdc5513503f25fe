#pragma once

#include <array>

#include "model/law/component_law.hpp"
#include "model/law/power_sums.hpp"

namespace weir {

// The least squares polynomial of some power sums, without constraints. Plain data.
struct ordinary_fit {
  std::array<double, component_law::max_degree + 1> c{};  // coefficients of u^i
  double residual_square = 0;                             // sum w (t - sum c_i u^i)^2, not negative
};

// Solves the normal equations sum_j S_{i+j} c_j = B_i by QR with column pivoting. These equations are all that constant
// space leaves of a least squares problem. Their condition number is the square of the problem's. So up to half of the
// digits that solve_least_squares() keeps are lost (model/least_squares/README.md counts them). Where x does not
// determine the polynomial, the result is a basic solution. Never allocates; any thread may call it.
ordinary_fit fit_ordinary(const power_sums::slot& sums);

}  // namespace weir
