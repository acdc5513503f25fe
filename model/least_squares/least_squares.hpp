#pragma once

#include <array>
#include <span>

namespace weir {

// The solution of a linear least squares problem. Plain data; only the first `columns` entries of `coefficients` are
// used.
struct least_squares_solution {
  static constexpr int max_columns = 12;
  static constexpr int max_rows = 256;

  int columns = 0;
  int rank = 0;  // columns that the data can tell apart; the coefficients of the others are 0
  std::array<double, max_columns> coefficients{};
  double residual_square = 0;  // sum of w (y - Xc)^2
};

// Solves argmin over c of sum_r w_r (y_r - sum_j X_rj c_j)^2. It uses Householder QR with column pivoting on the rows
// times sqrt(w) (Golub & Van Loan, "Matrix Computations", section 5.4). The normal equations are not formed, since they
// would square the condition number. Columns are scaled by powers of two to lengths within [1, 2), which is exact.
//
// A column that the data cannot tell from those already taken, to within rounding, gets c = 0: a basic solution. Never
// allocates; takes about 50 KB of stack. Any thread may call it.
//
// REQUIRES: `matrix` is stored column after column, with 1 to max_columns columns. `y` has as many entries as a column,
// at most max_rows. `weights` is empty, which means 1 each, or has as many entries as y, each > 0. All numbers are
// finite.
least_squares_solution solve_least_squares(std::span<const double> matrix, std::span<const double> y,
                                           std::span<const double> weights = {});

}  // namespace weir
