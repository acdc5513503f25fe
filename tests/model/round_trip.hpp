#pragma once

#include <gtest/gtest.h>

#include <limits>

namespace weir::test {

// What has numbers() and assign() comes back from its numbers, and refuses them, changing nothing, when one is not a
// number.
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
  }
}

}  // namespace weir::test
