#include "components/gauss.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "components/for_ranges.hpp"

namespace components {
namespace {

void check(const matrix& a, const std::vector<double>& b) {
  if (a.rows() == a.cols() && b.size() == a.rows()) return;
  throw std::invalid_argument("solve_gauss: a matrix of " + shape(a) + " and a right side of " +
                              std::to_string(b.size()) + " make no square system");
}

// Brings the row with the pivot of column k up to row k. False when there is none.
bool bring_up_pivot(matrix& a, std::vector<double>& b, std::size_t k) {
  std::size_t pivot = k;
  for (std::size_t i = k + 1; i < a.rows(); ++i) {
    if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
  }
  if (a(pivot, k) == 0) return false;
  if (pivot != k) {
    std::swap_ranges(&a(k, 0), &a(k, 0) + a.cols(), &a(pivot, 0));
    std::swap(b[k], b[pivot]);
  }
  return true;
}

// Eliminates columns begin .. end - 1, the entries to the right of them left for later but for those of b. What a row
// was multiplied with takes the place of the entry that it eliminates. False when a column has no pivot.
bool eliminate_columns(matrix& a, std::vector<double>& b, std::size_t begin, std::size_t end) {
  for (std::size_t k = begin; k != end; ++k) {
    if (!bring_up_pivot(a, b, k)) return false;
    const double* const pivot_row = &a(k, 0);
    for (std::size_t i = k + 1; i < a.rows(); ++i) {
      double* const row = &a(i, 0);
      const double factor = row[k] /= pivot_row[k];
      for (std::size_t j = k + 1; j < end; ++j) row[j] -= factor * pivot_row[j];
      b[i] -= factor * b[k];
    }
  }
  return true;
}

// Does to the entries of columns left .. right - 1 what eliminate_columns did to those between.
void eliminate_strip(matrix& a, std::size_t begin, std::size_t end, std::size_t left, std::size_t right) {
  for (std::size_t i = begin + 1; i < a.rows(); ++i) {
    double* const row = &a(i, 0);
    for (std::size_t k = begin; k != std::min(i, end); ++k) {
      const double factor = row[k];
      const double* const pivot_row = &a(k, 0);
      for (std::size_t j = left; j != right; ++j) row[j] -= factor * pivot_row[j];
    }
  }
}

// Solves the upper triangle of a, in place of b.
void substitute(const matrix& a, std::vector<double>& b) {
  for (std::size_t i = a.rows(); i-- > 0;) {
    double rest = b[i];
    for (std::size_t j = i + 1; j < a.cols(); ++j) rest -= a(i, j) * b[j];
    b[i] = rest / a(i, i);
  }
}

}  // namespace

std::optional<std::vector<double>> solve_gauss(matrix a, std::vector<double> b) {
  check(a, b);
  const std::size_t n = a.rows();
  const std::size_t at_once = 16;   // columns: a fork and join for each pays only above N = 600
  const std::size_t least = 32768;  // steps: some 15 us, what a fork and join may cost
  const std::size_t longest = 64;   // columns: many ranges for a large matrix
  for (std::size_t begin = 0; begin < n; begin += at_once) {
    const std::size_t end = std::min(begin + at_once, n);
    if (!eliminate_columns(a, b, begin, end)) return std::nullopt;
    if ((n - begin) * (end - begin) * (n - end) < least) {
      eliminate_strip(a, begin, end, end, n);
    } else {
      for_ranges(n - end, longest,
                 [&](std::size_t left, std::size_t right) { eliminate_strip(a, begin, end, end + left, end + right); });
    }
  }
  substitute(a, b);
  return b;
}

std::optional<std::vector<double>> solve_gauss_sequential(matrix a, std::vector<double> b) {
  check(a, b);
  for (std::size_t k = 0; k < a.rows(); ++k) {
    if (!bring_up_pivot(a, b, k)) return std::nullopt;
    for (std::size_t i = k + 1; i < a.rows(); ++i) {
      const double factor = a(i, k) / a(k, k);
      for (std::size_t j = k + 1; j < a.cols(); ++j) a(i, j) -= factor * a(k, j);
      b[i] -= factor * b[k];
    }
  }
  substitute(a, b);
  return b;
}

}  // namespace components
