#include "model/weir/two_curves.hpp"

#include <algorithm>
#include <array>

#include "model/least_squares/non_negative.hpp"

namespace weir {

fitted_law fit_two_curves(const power_sums& sums, const component_law& start) {
  const int columns = start.columns(), step = start.step;
  normal_equations problem(2 * columns);
  std::array<std::array<double, 2 * component_law::max_degree + 1>, 3> powers{};  // sum over p of S_(m step) p^-e
  double square_of_times = 0;
  for (int index = 0; index < sums.slots(); ++index) {
    const auto slot = sums.at(index);
    const double inverse = slot.inverse_cores;
    for (int m = 0; m <= 2 * (columns - 1); ++m) {
      const double sum = slot.s[m * step];
      powers[0][m] += sum;
      powers[1][m] += sum * inverse;
      powers[2][m] += sum * inverse * inverse;
    }
    for (int i = 0; i < columns; ++i) {
      problem.right[i] += slot.b[i * step];
      problem.right[columns + i] += slot.b[i * step] * inverse;
    }
    square_of_times += slot.y;
  }
  unsigned guess = 0;
  for (int i = 0; i < columns; ++i) {
    if (start.c[i * step] > 0) guess |= 1u << (columns + i);
    for (int j = 0; j < columns; ++j) {
      const int m = i + j;
      problem.gram[i][j] = powers[0][m];
      problem.gram[columns + i][j] = problem.gram[i][columns + j] = powers[1][m];
      problem.gram[columns + i][columns + j] = powers[2][m];
    }
  }
  const auto solution = solve_non_negative(problem, guess);

  fitted_law out{.law = start};
  out.law.exponent = sums.exponent();
  out.law.two_curves = true;
  out.law.alpha = 1;
  out.law.contention = out.law.fork_join = 0;
  out.law.c = out.law.serial = {};
  for (int i = 0; i < columns; ++i) {
    out.law.serial[i * step] = solution[i];
    out.law.c[i * step] = solution[i] + solution[columns + i];
  }
  double explained = 0;
  for (int i = 0; i < problem.size; ++i) {
    double row = 0;
    for (int j = 0; j < problem.size; ++j) row += problem.gram[i][j] * solution[j];
    explained += solution[i] * (2 * problem.right[i] - row);
    out.parameters += solution[i] > 0;
  }
  out.residual = out.objective = std::max(square_of_times - explained, 0.0);
  return out;
}

}  // namespace weir
