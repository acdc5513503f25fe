#include "model/papers/ordinary_fit.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "model/least_squares/least_squares.hpp"

namespace weir {

ordinary_fit fit_ordinary(const power_sums::slot& sums) {
  constexpr std::size_t most = component_law::max_degree + 1;
  const std::size_t columns = sums.b.size();
  std::array<double, most * most> gram{};
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < columns; ++i) gram[j * columns + i] = sums.s[i + j];
  const std::span<const double> right(sums.b.data(), columns);
  const least_squares_solution solution = solve_least_squares({gram.data(), columns * columns}, right);
  ordinary_fit out;
  std::copy_n(solution.coefficients.begin(), columns, out.c.begin());
  out.residual_square = std::max(sums.y - std::inner_product(right.begin(), right.end(), out.c.begin(), 0.0), 0.0);
  return out;
}

}  // namespace weir
