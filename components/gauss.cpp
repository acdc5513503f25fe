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
    std::swap_ranges(&a(k, k), &a(k, 0) + a.cols(), &a(pivot, k));
    std::swap(b[k], b[pivot]);
  }
  return true;
}

void eliminate_row(double* row, double& right, const double* pivot_row, double pivot_right, std::size_t k,
                   std::size_t n) {
  const double factor = row[k] / pivot_row[k];
  for (std::size_t j = k + 1; j < n; ++j) row[j] -= factor * pivot_row[j];
  right -= factor * pivot_right;
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
  const std::size_t least = 4096;  // entries: some 2 us, about what a fork and join costs
  const std::size_t longest = 64;  // rows: many ranges for a large matrix
  for (std::size_t k = 0; k < n; ++k) {
    if (!bring_up_pivot(a, b, k)) return std::nullopt;
    const double* const pivot_row = a.data() + k * n;
    const std::size_t first = k + 1;
    const auto eliminate = [&, pivot_row](std::size_t begin, std::size_t end) {
      for (std::size_t i = first + begin; i != first + end; ++i) {
        eliminate_row(a.data() + i * n, b[i], pivot_row, b[k], k, n);
      }
    };
    const std::size_t rows = n - first;
    if (rows * rows < least) {
      eliminate(0, rows);
    } else {
      for_ranges(rows, longest, eliminate);
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
