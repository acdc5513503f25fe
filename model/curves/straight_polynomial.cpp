#include "model/curves/straight_polynomial.hpp"

#include <algorithm>

#include "model/least_squares/least_squares.hpp"

namespace weir {

straight_polynomial fit_straight_polynomial(const series& points, int degree) {
  straight_polynomial out{.degree = std::min(degree, points.size() - 1)};
  const auto u = points.u();
  const std::size_t n = u.size(), columns = static_cast<std::size_t>(out.degree) + 1;
  std::array<double, series::capacity*(straight_polynomial::max_degree + 1)> powers;
  std::fill_n(powers.begin(), n, 1.0);
  for (std::size_t i = n; i < n * columns; ++i) powers[i] = powers[i - n] * u[i % n];
  const auto solution = solve_least_squares({powers.data(), n * columns}, points.y(), points.weights());
  std::copy_n(solution.coefficients.begin(), columns, out.c.begin());
  return out;
}

}  // namespace weir
