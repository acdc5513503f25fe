#pragma once

#include <gtest/gtest.h>

#include <limits>

namespace weir::test {

// A type with numbers() and assign() is restored from its numbers. It refuses them, changing nothing, if one is not a
// number or out of range.
template <typename Part>
void expect_round_trip(const Part& original) {
  const auto numbers = original.numbers();
  Part again;
  ASSERT_TRUE(again.assign(numbers));
  EXPECT_EQ(again.numbers(), numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    auto broken = numbers;
    broken[i] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(again.assign(broken)) << i;
    EXPECT_EQ(again.numbers(), numbers);
    // A number too large for its target is refused or kept exactly.
    for (const double far : {1e300, -1e300, 3e9}) {
      broken[i] = far;
      Part other;
      if (other.assign(broken)) {
        EXPECT_EQ(other.numbers(), broken) << i;
      }
    }
  }
}

}  // namespace weir::test
