#include "components/matrix/gauss.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "components/for_ranges.hpp"

namespace components {
namespace {

void check(const matrix& a, const std::vector<double>& b) {
  if (a.rows() == a.cols() && b.size() == a.rows()) return;
  throw std::invalid_argument("solve_gauss: a matrix of " + shape(a) + " and a right side of " +
                              std::to_string(b.size()) + " make no square system");
}

// A system under elimination. Each column is contiguous in memory, and the right side is the last one. Below its pivot,
// an eliminated column holds the factors by which the pivot's row was multiplied.
class linear_system {
 public:
  linear_system(const matrix& a, const std::vector<double>& b) : n_(b.size()), columns_(n_ + 1, n_), pivots_(n_) {
    for_ranges(n_, longest, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = 0; i != n_; ++i) {
        for (std::size_t j = begin; j != end; ++j) columns_(j, i) = a(i, j);
      }
    });
    std::copy(b.begin(), b.end(), column(n_));
  }

  // False if a column has no pivot.
  bool eliminate() {
    const std::size_t at_once = 16;   // columns: a fork and join per column made two cores slower than one below N =
                                      // 600
    const std::size_t least = 32768;  // steps: about 15 us, the possible cost of a fork and join
    for (std::size_t begin = 0; begin < n_; begin += at_once) {
      const std::size_t end = std::min(begin + at_once, n_);
      for (std::size_t k = begin; k != end; ++k) {
        if (!eliminate_column(begin, k)) return false;
      }
      const auto update = [&](std::size_t left, std::size_t right) {
        for (std::size_t j = end + left; j != end + right; ++j) update_column(begin, end, j);
      };
      const std::size_t rest = n_ + 1 - end;
      if ((n_ - begin) * (end - begin) * rest < least) {
        update(0, rest);
      } else {
        for_ranges(rest, longest, update);
      }
    }
    return true;
  }

  std::vector<double> substitute() {
    double* const x = column(n_);
    for (std::size_t j = n_; j-- > 0;) {
      const double* const above = column(j);
      x[j] /= above[j];
      for (std::size_t i = 0; i != j; ++i) x[i] -= above[i] * x[j];
    }
    return {x, x + n_};
  }

 private:
  static constexpr std::size_t longest = 64;  // columns in a range: many ranges for a large matrix

  double* column(std::size_t j) { return columns_.data() + j * n_; }

  // Applies the elimination of columns begin .. end - 1 to column j.
  void update_column(std::size_t begin, std::size_t end, std::size_t j) {
    double* const entries = column(j);
    for (std::size_t k = begin; k != end; ++k) std::swap(entries[k], entries[pivots_[k]]);
    for (std::size_t k = begin; k != end; ++k) {
      const double* const factors = column(k);
      const double pivot_entry = entries[k];
      for (std::size_t i = k + 1; i < n_; ++i) entries[i] -= factors[i] * pivot_entry;
    }
  }

  // Eliminates column k, after columns begin .. k - 1; their factors are exchanged along with the rows.
  bool eliminate_column(std::size_t begin, std::size_t k) {
    update_column(begin, k, k);
    double* const entries = column(k);
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n_; ++i) {
      if (std::abs(entries[i]) > std::abs(entries[pivot])) pivot = i;
    }
    if (entries[pivot] == 0) return false;
    pivots_[k] = pivot;
    for (std::size_t j = begin; j <= k; ++j) std::swap(column(j)[k], column(j)[pivot]);
    for (std::size_t i = k + 1; i < n_; ++i) entries[i] /= entries[k];
    return true;
  }

  std::size_t n_;
  matrix columns_;  // row j is column j
  std::vector<std::size_t> pivots_;
};

}  // namespace

std::optional<std::vector<double>> solve_gauss(const matrix& a, const std::vector<double>& b) {
  check(a, b);
  linear_system equations(a, b);
  if (!equations.eliminate()) return std::nullopt;
  return equations.substitute();
}

std::optional<std::vector<double>> solve_gauss_sequential(matrix a, std::vector<double> b) {
  check(a, b);
  const std::size_t n = a.rows();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    if (a(pivot, k) == 0) return std::nullopt;
    for (std::size_t j = k; j < n; ++j) std::swap(a(k, j), a(pivot, j));
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a(i, k) / a(k, k);
      for (std::size_t j = k + 1; j < n; ++j) a(i, j) -= factor * a(k, j);
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t j = n; j-- > 0;) {
    b[j] /= a(j, j);
    for (std::size_t i = 0; i < j; ++i) b[i] -= a(i, j) * b[j];
  }
  return b;
}

}  // namespace components
