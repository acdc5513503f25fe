#include "model/least_squares/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

struct problem {
  std::vector<double> matrix, y, weights;
  int columns = 0;

  std::size_t rows() const { return y.size(); }
  double at(std::size_t row, int column) const { return matrix[static_cast<std::size_t>(column) * rows() + row]; }
  double residual(std::size_t row, const least_squares_solution& found) const {
    double out = y[row];
    for (int j = 0; j < columns; ++j) out -= at(row, j) * found.coefficients[j];
    return out;
  }
};

problem draw(chance& random, std::size_t rows, int columns) {
  problem out{.matrix = {}, .y = {}, .weights = {}, .columns = columns};
  for (std::size_t i = 0; i < rows * static_cast<std::size_t>(columns); ++i)
    out.matrix.push_back(random.uniform(-1, 1));
  for (std::size_t i = 0; i < rows; ++i) {
    out.y.push_back(random.uniform(-5, 5));
    out.weights.push_back(random.uniform(0.1, 10));
  }
  return out;
}

TEST(least_squares, leave_residuals_that_are_orthogonal_to_every_column) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    chance random(seed);
    const problem one = draw(random, 13 + random.index(100), 1 + random.index(12));
    const auto found = solve_least_squares(one.matrix, one.y, one.weights);
    ASSERT_EQ(found.rank, one.columns);
    double square = 0;
    for (std::size_t r = 0; r < one.rows(); ++r) square += one.weights[r] * std::pow(one.residual(r, found), 2);
    EXPECT_NEAR(found.residual_square, square, 1e-10 * square);
    for (int j = 0; j < one.columns; ++j) {
      double product = 0;
      for (std::size_t r = 0; r < one.rows(); ++r) product += one.weights[r] * one.at(r, j) * one.residual(r, found);
      EXPECT_NEAR(product, 0, 1e-9);
    }
  }
}

TEST(least_squares, a_weight_of_two_is_a_row_twice) {
  chance random(1);
  problem once = draw(random, 20, 3);
  once.weights.assign(20, 1.0);
  once.weights[7] = 2;
  problem twice{.matrix = {}, .y = once.y, .weights = {}, .columns = 3};
  twice.y.push_back(once.y[7]);
  for (int j = 0; j < 3; ++j) {
    for (std::size_t r = 0; r < 20; ++r) twice.matrix.push_back(once.at(r, j));
    twice.matrix.push_back(once.at(7, j));
  }
  const auto a = solve_least_squares(once.matrix, once.y, once.weights), b = solve_least_squares(twice.matrix, twice.y);
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(a.coefficients[j], b.coefficients[j], 1e-12);
}

TEST(least_squares, the_unit_of_a_column_changes_nothing_when_it_is_a_power_of_two) {
  chance random(2);
  problem one = draw(random, 30, 4);
  const auto plain = solve_least_squares(one.matrix, one.y);
  for (std::size_t r = 0; r < 30; ++r) one.matrix[2 * 30 + r] = std::ldexp(one.matrix[2 * 30 + r], 300);
  const auto scaled = solve_least_squares(one.matrix, one.y);
  for (int j = 0; j < 4; ++j)
    EXPECT_EQ(scaled.coefficients[j], std::ldexp(plain.coefficients[j], j == 2 ? -300 : 0)) << j;
}

TEST(least_squares, a_column_that_says_nothing_new_gets_nothing_and_costs_nothing) {
  chance random(3);
  problem one = draw(random, 30, 3);
  const auto alone = solve_least_squares(one.matrix, one.y);
  for (std::size_t r = 0; r < 30; ++r) one.matrix.push_back(one.at(r, 0) + 3 * one.at(r, 1));
  one.matrix.resize(one.matrix.size() + 30, 0.0);
  one.columns = 5;
  const auto found = solve_least_squares(one.matrix, one.y);
  EXPECT_EQ(found.rank, 3);
  EXPECT_EQ(found.coefficients[4], 0);
  EXPECT_NEAR(found.residual_square, alone.residual_square, 1e-12 * alone.residual_square);
  int zeros = 0;
  for (int j = 0; j < 5; ++j) zeros += found.coefficients[j] == 0;
  EXPECT_EQ(zeros, 2);
}

TEST(least_squares, fewer_rows_than_columns_are_met_exactly) {
  chance random(4);
  const problem one = draw(random, 3, 6);
  const auto found = solve_least_squares(one.matrix, one.y);
  EXPECT_EQ(found.rank, 3);
  for (std::size_t r = 0; r < 3; ++r) EXPECT_NEAR(one.residual(r, found), 0, 1e-12);
}

}  // namespace
}  // namespace weir::test
