#include "components/matrix/matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace components {
namespace {

TEST(matrix, starts_as_zeros_row_by_row) {
  matrix m(2, 3);
  EXPECT_EQ(m.rows(), 2u);
  EXPECT_EQ(m.cols(), 3u);
  EXPECT_TRUE(std::all_of(m.data(), m.data() + 6, [](double entry) { return entry == 0; }));
  m(1, 2) = 7;
  EXPECT_EQ(m.data()[5], 7);
  EXPECT_EQ(shape(m), "2x3");
}

TEST(matrix, a_move_takes_the_memory_over) {
  matrix from(5, 5);
  const double* const memory = from.data();
  const matrix to = std::move(from);
  EXPECT_EQ(to.data(), memory);
  EXPECT_EQ(shape(to), "5x5");
}

TEST(matrix, equality_is_of_shape_and_entries) {
  EXPECT_EQ(matrix(2, 3), matrix(2, 3));
  EXPECT_NE(matrix(2, 3), matrix(3, 2));
  matrix changed(2, 3);
  changed(0, 1) = 1;
  EXPECT_NE(matrix(2, 3), changed);
}

// The same seed gives the same entries on every machine. The first draw of std::mt19937_64 with its default seed is
// known (14514284786278117030), and the standard specifies its 10000th.
TEST(random_matrix, is_reproducible) {
  EXPECT_EQ(random_matrix(40, 3), random_matrix(40, 3));
  EXPECT_NE(random_matrix(40, 3), random_matrix(40, 4));
  const matrix m = random_matrix(100, 5489);
  EXPECT_EQ(m(0, 0), static_cast<double>(14514284786278117030u >> 11) * 0x1p-53);
  EXPECT_EQ(m(99, 99), static_cast<double>(9981545732273789042u >> 11) * 0x1p-53);
}

TEST(random_matrix, entries_lie_in_zero_to_one_around_a_half) {
  const matrix m = random_matrix(100, 1);
  double sum = 0;
  for (const double* entry = m.data(); entry != m.data() + 10000; ++entry) {
    ASSERT_GE(*entry, 0);
    ASSERT_LT(*entry, 1);
    sum += *entry;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);  // seven standard deviations
}

TEST(random_matrix, takes_zero_and_refuses_less) {
  EXPECT_EQ(shape(random_matrix(0, 1)), "0x0");
  EXPECT_THROW(random_matrix(-1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace components
