#include "model/papers/ordinary_fit.hpp"

#include <Eigen/QR>
#include <algorithm>

#include "model/least_squares/bounded_matrix.hpp"

namespace weir {

ordinary_fit fit_ordinary(const power_sums::slot& sums) {
  using matrix = bounded_matrix<rank_one_law::max_degree + 1>;
  using vector = bounded_vector<rank_one_law::max_degree + 1>;
  const int columns = static_cast<int>(sums.b.size());
  matrix gram(columns, columns);
  vector right(columns);
  for (int i = 0; i < columns; ++i) {
    right[i] = sums.b[i];
    for (int j = 0; j < columns; ++j) gram(i, j) = sums.s[i + j];
  }
  const vector c = Eigen::ColPivHouseholderQR<matrix>(gram).solve(right);
  ordinary_fit out;
  std::copy(c.begin(), c.end(), out.c.begin());
  out.residual_square = std::max(sums.y - right.dot(c), 0.0);
  return out;
}

}  // namespace weir
