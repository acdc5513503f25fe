#include "components/matrix/multiply.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

#include "components/for_ranges.hpp"

namespace components {
namespace {

matrix empty_product(const matrix& a, const matrix& b) {
  if (a.cols() != b.rows()) {
    throw std::invalid_argument("multiply: a matrix of " + shape(a) + " times one of " + shape(b) + " does not fit");
  }
  return {a.rows(), b.cols()};
}

// Adds a[0..depth) times the first `width` columns of `depth` rows of b to c[0..width). It sums into a local array, so
// the compiler knows that the writes do not change a or b.
template <std::size_t Block>
void multiply_tile_row(const double* a, const double* b, double* c, std::size_t depth, std::size_t width,
                       std::size_t stride) {
  std::array<double, Block> sums;
  for (std::size_t j = 0; j < width; ++j) sums[j] = c[j];
  for (std::size_t k = 0; k < depth; ++k, b += stride) {
    if (width == Block) {
      for (std::size_t j = 0; j < Block; ++j) sums[j] += a[k] * b[j];
    } else {
      for (std::size_t j = 0; j < width; ++j) sums[j] += a[k] * b[j];
    }
  }
  for (std::size_t j = 0; j < width; ++j) c[j] = sums[j];
}

}  // namespace

matrix multiply_sequential(const matrix& a, const matrix& b) {
  matrix result = empty_product(a, b);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < a.cols(); ++k) sum += a(i, k) * b(k, j);
      result(i, j) = sum;
    }
  }
  return result;
}

matrix multiply_naive(const matrix& a, const matrix& b) {
  matrix result = empty_product(a, b);
  const std::size_t depth = a.cols();
  const std::size_t cols = b.cols();
  const double* const left = a.data();
  const double* const right = b.data();
  double* const out = result.data();
  const std::size_t longest = 16;  // rows: some microseconds of work or more, and many ranges for a large matrix
  for_ranges(a.rows(), longest, [=](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i != end; ++i) {
      double* const sums = out + i * cols;
      for (std::size_t k = 0; k < depth; ++k) {
        const double factor = left[i * depth + k];
        const double* const row = right + k * cols;
        for (std::size_t j = 0; j < cols; ++j) sums[j] += factor * row[j];
      }
    }
  });
  return result;
}

template <int Block>
matrix multiply_blocked(const matrix& a, const matrix& b) {
  constexpr std::size_t block = Block;
  matrix result = empty_product(a, b);
  const std::size_t depth = a.cols();
  const std::size_t cols = b.cols();
  const double* const left = a.data();
  const double* const right = b.data();
  double* const out = result.data();
  for_ranges(a.rows(), block, [=](std::size_t begin, std::size_t end) {
    for (std::size_t j = 0; j < cols; j += block) {
      for (std::size_t k = 0; k < depth; k += block) {
        for (std::size_t i = begin; i != end; ++i) {
          multiply_tile_row<block>(left + i * depth + k, right + k * cols + j, out + i * cols + j,
                                   std::min(block, depth - k), std::min(block, cols - j), cols);
        }
      }
    }
  });
  return result;
}

template matrix multiply_blocked<16>(const matrix& a, const matrix& b);
template matrix multiply_blocked<32>(const matrix& a, const matrix& b);
template matrix multiply_blocked<64>(const matrix& a, const matrix& b);

}  // namespace components
