#include "model/curves/orthogonal_polynomials.hpp"

#include <algorithm>

namespace weir {
namespace {

constexpr std::size_t most_points = 256;

// If the squared length of p_{j+1} is no more than this part of the squared length of u p_j, it is only rounding.
constexpr double no_length = 1e-24;

double inner(std::span<const double> w, std::span<const double> p, std::span<const double> q) {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) sum += w[i] * p[i] * q[i];
  return sum;
}

}  // namespace

orthogonal_polynomials fit_orthogonal_polynomials(std::span<const double> u, std::span<const double> y,
                                                  std::span<const double> weights, int degree) {
  const std::size_t n = u.size();
  std::array<double, most_points> earlier_values{}, values{}, rest_values{}, next_values{};
  const std::span rest(rest_values.data(), n), next(next_values.data(), n);
  std::span earlier(earlier_values.data(), n), current(values.data(), n);
  std::ranges::fill(current, 1.0);
  std::ranges::copy(y, rest.begin());

  orthogonal_polynomials out;
  for (int j = 0;; ++j) {  // ends at the degree; NaN propagates to the coefficients
    out.degree = j;
    out.norms[j] = inner(weights, current, current);
    out.c[j] = inner(weights, rest, current) / out.norms[j];
    for (std::size_t i = 0; i < n; ++i) rest[i] -= out.c[j] * current[i];
    if (j == degree || j + 1 == static_cast<int>(n)) return out;

    for (std::size_t i = 0; i < n; ++i) next[i] = u[i] * current[i];
    out.a[j] = inner(weights, next, current) / out.norms[j];
    out.b[j] = j == 0 ? 0 : out.norms[j] / out.norms[j - 1];
    const double length = inner(weights, next, next);
    for (std::size_t i = 0; i < n; ++i) next[i] = (u[i] - out.a[j]) * current[i] - out.b[j] * earlier[i];
    if (inner(weights, next, next) <= no_length * length) return out;
    std::ranges::copy(current, earlier.begin());
    std::ranges::copy(next, current.begin());
  }
}

double orthogonal_polynomials::operator()(double u) const {
  double before = 0, p = 1, sum = c[0];
  for (int j = 0; j < degree; ++j) {
    const double after = (u - a[j]) * p - b[j] * before;
    before = p;
    p = after;
    sum += c[j + 1] * p;
  }
  return sum;
}

double orthogonal_polynomials::leverage(double u, double w) const {
  double before = 0, p = 1, sum = w / norms[0];
  for (int j = 0; j < degree; ++j) {
    const double after = (u - a[j]) * p - b[j] * before;
    before = p;
    p = after;
    sum += w * p * p / norms[j + 1];
  }
  return std::min(sum, 1.0);
}

std::vector<double> orthogonal_polynomials::coefficients() const {
  const std::size_t columns = static_cast<std::size_t>(degree) + 1;
  std::vector<double> out(columns), before(columns), p(columns);
  p[0] = 1;
  out[0] = c[0];
  for (int j = 0; j < degree; ++j) {
    std::vector<double> after(columns);
    for (std::size_t i = 0; i < columns; ++i) after[i] = (i > 0 ? p[i - 1] : 0) - a[j] * p[i] - b[j] * before[i];
    before = std::move(p);
    p = std::move(after);
    for (std::size_t i = 0; i < columns; ++i) out[i] += c[j + 1] * p[i];
  }
  return out;
}

}  // namespace weir
