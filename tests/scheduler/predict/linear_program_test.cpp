#include "scheduler/predict/linear_program.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace weir {
namespace {

using numbers = std::vector<double>;

// max x with x + y <= 4, x - y <= 2: (3, 1).
TEST(linear_program, finds_the_largest_first_variable) {
  const numbers x = solution_of({2, {{{1, 1}, 4}, {{1, -1}, 2}}});
  EXPECT_NEAR(x[0], 3, 1e-12);
  EXPECT_NEAR(x[1], 1, 1e-12);
}

// Rows without slack, for which the simplex method cycles if it takes the steepest column (E. M. L. Beale, Cycling in
// the dual simplex algorithm, 1955). For z = .75 x1 - 150 x2 + x3 / 50 - 6 x4 the maximum is 1 / 20.
TEST(linear_program, ends_where_others_go_round) {
  const numbers x = solution_of(
      {5,
       {{{1, -.75, 150, -.02, 6}, 0}, {{0, .25, -60, -.04, 9}, 0}, {{0, .5, -90, -.02, 3}, 0}, {{0, 0, 0, 1, 0}, 1}}});
  EXPECT_NEAR(x[0], .05, 1e-12);
}

TEST(linear_program, of_what_is_no_number_is_the_point_that_always_holds) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {infinity, -infinity, nan}) {
    EXPECT_EQ(solution_of({2, {{{bad, 1}, 4}, {{1, -1}, 2}}}), numbers(2, 0.0));
    EXPECT_EQ(solution_of({2, {{{1, 1}, bad}, {{1, -1}, 2}}}), numbers(2, 0.0));
    EXPECT_EQ(solution_of({2, {{{1, 1}, 4}, {{1, bad}, 2}}}), numbers(2, 0.0));
  }
  // Finite, but with overflow on the way.
  for (const double x : solution_of({2, {{{1e-10, 1e300}, 1e300}, {{1, -1e300}, 1e300}}})) EXPECT_GE(x, 0);
}

}  // namespace
}  // namespace weir
