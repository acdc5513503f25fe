#pragma once

#include <array>
#include <span>

namespace weir {

// The solution of a linear least squares problem. Plain data; of `coefficients` the first `columns` count.
struct least_squares_solution {
  static constexpr int max_columns = 12;
  static constexpr int max_rows = 256;

  int columns = 0;
  int rank = 0;  // columns that the data can tell apart; the coefficients of the others are 0
  std::array<double, max_columns> coefficients{};
  double residual_square = 0;  // sum of w (y - Xc)^2
};

// argmin over c of sum_r w_r (y_r - sum_j X_rj c_j)^2, by Householder QR with column pivoting (Golub & Van Loan,
// "Matrix Computations", section 5.4) on the rows times sqrt(w). The normal equations are not formed, which would
// square the condition number. Columns are scaled to lengths within [1, 2) by powers of two, so scaling rounds nothing.
//
// A column that the data cannot tell from those already taken, to within rounding, gets c = 0: a basic solution.
// Never allocates, takes about 50 KB of stack; any thread may call it.
//
// REQUIRES: `matrix` is stored column after column; `y` has as many entries as a column, at most max_rows; 1 to
// max_columns columns; `weights` is empty, which means 1 each, or has as many entries as y, each > 0; all finite.
least_squares_solution solve_least_squares(std::span<const double> matrix, std::span<const double> y,
                                           std::span<const double> weights = {});

}  // namespace weir
