#include "components/matrix/gauss.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>
#include "tests/support/refusal.hpp"

namespace components {
namespace {

std::vector<double> random_right_side(std::size_t n, std::uint64_t seed) {
  const matrix drawn = random_matrix(static_cast<std::int64_t>(n), seed);
  return {drawn.data(), drawn.data() + n};
}

// The largest |b - a x| over the largest |a| |x|, in units of rounding.
double residual(const matrix& a, const std::vector<double>& x, const std::vector<double>& b) {
  double worst = 0;
  double scale = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    double rest = b[i];
    double sizes = std::abs(b[i]);
    for (std::size_t j = 0; j < a.cols(); ++j) {
      rest -= a(i, j) * x[j];
      sizes += std::abs(a(i, j) * x[j]);
    }
    worst = std::max(worst, std::abs(rest));
    scale = std::max(scale, sizes);
  }
  return worst / scale / (std::numeric_limits<double>::epsilon() / 2);
}

TEST(gauss, solves_a_system_that_needs_rows_exchanged) {
  matrix a(3, 3);
  const double entries[] = {0, 2, 1, 1, -2, -3, -1, 1, 2};
  std::copy(std::begin(entries), std::end(entries), a.data());
  const auto x = solve_gauss(a, {-8, 0, 3});
  ASSERT_TRUE(x);
  EXPECT_DOUBLE_EQ((*x)[0], -4);
  EXPECT_DOUBLE_EQ((*x)[1], -5);
  EXPECT_DOUBLE_EQ((*x)[2], 2);
}

// A pivot of 1e-20 would wipe out the other entries of its column.
TEST(gauss, takes_the_largest_pivot_not_the_first) {
  matrix a(2, 2);
  a(0, 0) = 1e-20;
  a(0, 1) = a(1, 0) = a(1, 1) = 1;
  const auto x = solve_gauss(a, {1, 2});
  ASSERT_TRUE(x);
  EXPECT_DOUBLE_EQ((*x)[0], 1);
  EXPECT_DOUBLE_EQ((*x)[1], 1);
}

TEST(gauss, gives_the_bits_of_the_reference_at_every_size_and_on_any_number_of_cores) {
  for (const int cores : {1, 2, 3, 8}) {
    tbb::task_arena arena(cores);
    for (const std::int64_t n : {0, 1, 2, 3, 7, 15, 16, 17, 33, 52, 53, 54, 63, 64, 65, 66, 100, 131, 160}) {
      const matrix a = random_matrix(n, 3 * static_cast<std::uint64_t>(n));
      const std::vector<double> b = random_right_side(static_cast<std::size_t>(n), 5);
      const auto expected = solve_gauss_sequential(a, b);
      ASSERT_TRUE(expected);
      EXPECT_EQ(arena.execute([&] { return solve_gauss(a, b); }), expected) << n << " on " << cores;
    }
  }
}

// Partial pivoting leaves a residual of a few roundings times N, except for matrices made to defeat it (Golub and Van
// Loan, section 3.4.6).
TEST(gauss, leaves_a_residual_of_rounding_only) {
  for (const std::int64_t n : {1, 10, 50, 200}) {
    const matrix a = random_matrix(n, 7);
    const std::vector<double> b = random_right_side(static_cast<std::size_t>(n), 8);
    const auto x = solve_gauss(a, b);
    ASSERT_TRUE(x);
    EXPECT_LE(residual(a, *x, b), static_cast<double>(n) + 1) << n;
  }
}

TEST(gauss, says_that_a_matrix_is_singular_on_any_number_of_cores) {
  for (const int cores : {1, 2, 8}) {
    tbb::task_arena arena(cores);
    arena.execute([] {
      EXPECT_FALSE(solve_gauss(matrix(3, 3), {1, 2, 3}));
      matrix no_column = random_matrix(100, 1);
      for (std::size_t i = 0; i < 100; ++i) no_column(i, 40) = 0;
      EXPECT_FALSE(solve_gauss(no_column, random_right_side(100, 2)));
      EXPECT_FALSE(solve_gauss_sequential(no_column, random_right_side(100, 2)));
      matrix twice_the_same_row(2, 2);
      twice_the_same_row(0, 0) = twice_the_same_row(1, 0) = 3;
      twice_the_same_row(0, 1) = twice_the_same_row(1, 1) = 5;
      EXPECT_FALSE(solve_gauss(twice_the_same_row, {1, 2}));
      matrix no_last_row = random_matrix(100, 1);
      std::fill_n(&no_last_row(99, 0), 100, 0.0);
      EXPECT_FALSE(solve_gauss(no_last_row, random_right_side(100, 2)));
    });
  }
}

TEST(gauss, refuses_what_is_no_square_system_and_names_the_shapes) {
  EXPECT_THROW(solve_gauss(matrix(3, 3), {1, 2}), std::invalid_argument);
  EXPECT_THROW(solve_gauss_sequential(matrix(3, 3), {1, 2}), std::invalid_argument);
  for (const auto solve : {+[] {
                             solve_gauss(matrix(3, 4), {1, 2, 3});
                           },
                           +[] {
                             solve_gauss_sequential(matrix(3, 4), {1, 2, 3});
                           }}) {
    const std::string why = weir::testing::refusal<std::invalid_argument>(solve);
    EXPECT_NE(why.find("3x4"), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace components
