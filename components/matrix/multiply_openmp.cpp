#include "components/matrix/multiply_openmp.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace components {

matrix multiply_openmp(const matrix& a, const matrix& b, int threads) {
  if (a.cols() != b.rows()) {
    throw std::invalid_argument("multiply_openmp: a matrix of " + shape(a) + " times one of " + shape(b) +
                                " does not fit");
  }
  if (threads < 1) {
    throw std::invalid_argument("multiply_openmp: " + std::to_string(threads) + " threads; at least 1 is needed");
  }
  matrix result(a.rows(), b.cols());
  const auto rows = static_cast<std::int64_t>(a.rows());
  const std::size_t depth = a.cols();
  const std::size_t cols = b.cols();
  const double* const left = a.data();
  const double* const right = b.data();
  double* const out = result.data();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < rows; ++i) {
    const double* const factors = left + static_cast<std::size_t>(i) * depth;
    double* const sums = out + static_cast<std::size_t>(i) * cols;
    for (std::size_t k = 0; k < depth; ++k) {
      const double* const row = right + k * cols;
      for (std::size_t j = 0; j < cols; ++j) sums[j] += factors[k] * row[j];
    }
  }
  return result;
}

}  // namespace components
