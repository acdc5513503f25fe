#pragma once

#include <array>

#include "model/law/power_sums.hpp"
#include "model/law/rank_one_law.hpp"

namespace weir {

// The least squares polynomial that power sums hold, without constraints. Plain data.
struct ordinary_fit {
  std::array<double, rank_one_law::max_degree + 1> c{};  // of u^i
  double residual_square = 0;                            // sum w (t - sum c_i u^i)^2, not negative
};

// Solves the normal equations sum_j S_{i+j} c_j = B_i, by QR with column pivoting: what constant space leaves of a
// least squares problem. Their condition number is the square of the problem's, so up to half of the digits are lost
// that solve_least_squares() keeps (README.md has the count). Where x does not determine the polynomial, a basic
// solution. Never allocates; any thread may call it.
ordinary_fit fit_ordinary(const power_sums::slot& sums);

}  // namespace weir
