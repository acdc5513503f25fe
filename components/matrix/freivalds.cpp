#include "components/matrix/freivalds.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace components {
namespace {

using column = std::vector<double>;

// m * v, with the absolute values of m's entries if `magnitudes` is set.
column times(const matrix& m, const column& v, bool magnitudes = false) {
  column result(m.rows());
  for (std::size_t i = 0; i < m.rows(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < m.cols(); ++j) sum += (magnitudes ? std::abs(m(i, j)) : m(i, j)) * v[j];
    result[i] = sum;
  }
  return result;
}

}  // namespace

bool is_product(const matrix& a, const matrix& b, const matrix& c, int vectors, std::uint64_t seed) {
  if (a.cols() != b.rows()) {
    throw std::invalid_argument("is_product: a matrix of " + shape(a) + " times one of " + shape(b) + " does not fit");
  }
  if (vectors < 1) throw std::invalid_argument("is_product: " + std::to_string(vectors) + " vectors check nothing");
  if (c.rows() != a.rows() || c.cols() != b.cols()) return false;

  constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;
  const double steps = static_cast<double>(a.cols() + b.cols() + 2);
  column bounds = times(a, times(b, column(b.cols(), 1.0), true), true);
  for (double& bound : bounds) bound *= 2 * steps * unit_roundoff;

  std::mt19937_64 generator(seed);
  column r(b.cols());
  for (int vector = 0; vector < vectors; ++vector) {
    for (double& sign : r) sign = (generator() >> 63) != 0 ? 1.0 : -1.0;
    const column left = times(c, r);
    const column right = times(a, times(b, r));
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!(std::abs(left[i] - right[i]) <= bounds[i])) return false;  // false for NaN as well
    }
  }
  return true;
}

}  // namespace components
