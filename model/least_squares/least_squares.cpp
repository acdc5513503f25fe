#include "model/least_squares/least_squares.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "model/least_squares/bounded_matrix.hpp"

namespace weir {

least_squares_solution solve_least_squares(std::span<const double> matrix, std::span<const double> y,
                                           std::span<const double> weights) {
  const auto rows = static_cast<Eigen::Index>(y.size());
  const auto columns = static_cast<Eigen::Index>(matrix.size() / y.size());
  const Eigen::Map<const Eigen::MatrixXd> x(matrix.data(), rows, columns);
  const Eigen::Map<const Eigen::VectorXd> target(y.data(), rows);

  using result = least_squares_solution;
  using matrix_type = bounded_matrix<result::max_rows, result::max_columns>;
  using vector_type = bounded_vector<result::max_rows>;
  matrix_type scaled = x;
  vector_type right = target;
  if (!weights.empty()) {
    const Eigen::Map<const Eigen::VectorXd> w(weights.data(), rows);
    for (Eigen::Index r = 0; r < rows; ++r) {
      const double root = std::sqrt(w[r]);
      scaled.row(r) *= root;
      right[r] *= root;
    }
  }
  std::array<int, result::max_columns> exponents{};
  for (Eigen::Index j = 0; j < columns; ++j) {
    const double length = scaled.col(j).stableNorm();
    if (length > 0) exponents[j] = std::clamp(std::ilogb(length), -1000, 1000);
    scaled.col(j) *= std::ldexp(1.0, -exponents[j]);
  }

  const Eigen::ColPivHouseholderQR<matrix_type> qr(scaled);
  const vector_type c = qr.solve(right);
  least_squares_solution out;
  out.columns = static_cast<int>(columns);
  out.rank = static_cast<int>(qr.rank());
  for (Eigen::Index j = 0; j < columns; ++j) out.coefficients[j] = std::ldexp(c[j], -exponents[j]);
  right.noalias() -= scaled * c;
  out.residual_square = right.squaredNorm();
  return out;
}

}  // namespace weir
