#pragma once

#include <Eigen/Core>

namespace weir {

// Matrices and vectors of bounded numbers of rows and columns. The bound is known at compile time, so Eigen keeps them
// on the stack.
template <int rows, int columns = rows>
using bounded_matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, rows, columns>;
template <int rows>
using bounded_vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, rows, 1>;

}  // namespace weir
