#include "model/least_squares/non_negative.hpp"

#include <gtest/gtest.h>

#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

using solution = std::array<double, normal_equations::max_size>;

// The normal equations of random rows with the given number of columns.
normal_equations of_rows(const std::vector<std::vector<double>>& gram, const std::vector<double>& right) {
  normal_equations out(static_cast<int>(right.size()));
  for (std::size_t i = 0; i < right.size(); ++i) {
    std::ranges::copy(gram[i], out.gram[i].begin());
    out.right[i] = right[i];
  }
  return out;
}

normal_equations random_problem(chance& random, int columns) {
  normal_equations out(columns);
  for (int row = 0; row < 2 * columns; ++row) {
    std::array<double, normal_equations::max_size> design{};
    for (int i = 0; i < columns; ++i) design[i] = random.uniform(-1, 1);
    const double right = random.uniform(-1, 1);
    for (int i = 0; i < columns; ++i) {
      out.right[i] += design[i] * right;
      for (int j = 0; j < columns; ++j) out.gram[i][j] += design[i] * design[j];
    }
  }
  return out;
}

// Half the objective's downhill slope for each unknown.
solution gradient(const normal_equations& problem, const solution& c) {
  solution out{};
  for (int i = 0; i < problem.size; ++i) {
    out[i] = problem.right[i];
    for (int j = 0; j < problem.size; ++j) out[i] -= problem.gram[i][j] * c[j];
  }
  return out;
}

TEST(non_negative, satisfies_the_conditions_of_optimality_on_random_problems) {
  chance random(9);
  for (int trial = 0; trial < 2000; ++trial) {
    const normal_equations problem = random_problem(random, 1 + random.index(normal_equations::max_size));
    const solution c = solve_non_negative(problem);
    const solution slope = gradient(problem, c);
    for (int i = 0; i < problem.size; ++i) {
      ASSERT_GE(c[i], 0);
      // Zero if free; only uphill if held at zero.
      if (c[i] > 0) {
        ASSERT_NEAR(slope[i], 0, 1e-9);
      } else {
        ASSERT_LE(slope[i], 1e-9);
      }
    }
  }
}

TEST(non_negative, of_equal_columns_takes_the_last_and_leaves_out_the_others) {
  const normal_equations problem = of_rows({{4, 4, 8}, {4, 4, 8}, {8, 8, 16}}, {6, 6, 12});
  EXPECT_EQ(solve_non_negative(problem), (solution{0, 0, 0.75}));
}

TEST(non_negative, leaves_out_columns_of_zeros) {
  const normal_equations problem = of_rows({{2, 0}, {0, 0}}, {3, 0});
  const solution c = solve_non_negative(problem);
  EXPECT_DOUBLE_EQ(c[0], 1.5);
  EXPECT_EQ(c[1], 0);
}

TEST(non_negative, of_an_empty_problem_is_empty) { EXPECT_EQ(solve_non_negative(normal_equations(0)), solution{}); }

}  // namespace
}  // namespace weir::test
