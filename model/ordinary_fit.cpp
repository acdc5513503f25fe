#include "model/ordinary_fit.hpp"

#include <Eigen/QR>
#include <algorithm>

namespace weir {
namespace {

constexpr int max_columns = rank_one_law::max_degree + 1;
using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, max_columns, max_columns>;
using vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, max_columns, 1>;

}  // namespace

ordinary_fit fit_ordinary(const power_sums::slot& sums) {
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
