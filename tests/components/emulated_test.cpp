#include "components/emulated.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

namespace components {
namespace {

TEST(truth, is_the_extended_amdahl_law) {
  const truth cost{{1, 2, 3}, 0.75};
  EXPECT_DOUBLE_EQ(cost.sequential_seconds(2), 17);
  EXPECT_DOUBLE_EQ(cost.seconds(2, 1), 17);
  EXPECT_DOUBLE_EQ(cost.seconds(2, 3), 0.75 * 17 / 3 + 0.25 * 17);
  EXPECT_DOUBLE_EQ((truth{{4}, 0}).seconds(9, 100), 4);
  EXPECT_DOUBLE_EQ((truth{{}, 1}).seconds(9, 1), 0);
}

TEST(truth, refuses_what_has_no_meaning) {
  EXPECT_THROW((truth{{1}, 1.5}).seconds(1, 1), std::invalid_argument);
  EXPECT_THROW((truth{{1}, -0.1}).seconds(1, 1), std::invalid_argument);
  EXPECT_THROW((truth{{1}, 0.5}).seconds(1, 0), std::invalid_argument);
  EXPECT_THROW((truth{{-1}, 0.5}).seconds(1, 1), std::invalid_argument);
  EXPECT_THROW((truth{{0, 1e308}, 0.5}).seconds(1e308, 1), std::invalid_argument);
}

// The excess of a sleep depends on the machine; that it is never too short does not.
TEST(emulate, takes_at_least_as_long_as_the_truth_says) {
  using clock = std::chrono::steady_clock;
  const truth cost{{0, 1e-3}, 0.9};
  for (const double x : {0.0, 0.1, 1.0, 5.0}) {
    for (const int cores : {1, 2, 48}) {
      const auto start = clock::now();
      emulate(cost, x, cores);
      EXPECT_GE(std::chrono::duration<double>(clock::now() - start).count(), cost.seconds(x, cores))
          << x << ' ' << cores;
    }
  }
}

}  // namespace
}  // namespace components
