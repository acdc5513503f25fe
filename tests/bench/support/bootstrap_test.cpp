#include "bench/support/bootstrap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace weir::program {
namespace {

TEST(bootstrap, of_equal_values_is_that_value) {
  const median_interval m = bootstrap_median({2.5, 2.5, 2.5});
  EXPECT_EQ(m.median, 2.5);
  EXPECT_EQ(m.low, 2.5);
  EXPECT_EQ(m.high, 2.5);
}

TEST(bootstrap, of_nothing_is_not_a_number) {
  const median_interval m = bootstrap_median({});
  EXPECT_TRUE(std::isnan(m.median) && std::isnan(m.low) && std::isnan(m.high));
}

TEST(bootstrap, of_one_value_has_no_interval) {
  const median_interval m = bootstrap_median({2.5});
  EXPECT_EQ(m.median, 2.5);
  EXPECT_TRUE(std::isnan(m.low) && std::isnan(m.high));
}

TEST(bootstrap, lies_within_the_values_around_their_median_and_is_the_same_each_time) {
  const std::vector<double> values{1.3, 0.9, 1.1, 1.0, 4.0, 1.2, 0.8};
  const median_interval m = bootstrap_median(values), again = bootstrap_median(values);
  EXPECT_EQ(m.median, 1.1);
  EXPECT_GE(m.low, 0.8);
  EXPECT_LT(m.low, 1.1);
  EXPECT_GT(m.high, 1.1);
  EXPECT_LE(m.high, 4.0);
  EXPECT_EQ(m.low, again.low);
  EXPECT_EQ(m.high, again.high);
}

// About 95 intervals of 100 samples of 15 normal values should contain the true median: a binomial of 100 and 0.95 is
// below 87 once in a thousand times. Intervals that always contain it would be too wide, so the mean width is bounded,
// too. The bound is four standard deviations of the median of 15, 4 x 1.2533 / sqrt(15) = 1.3, plus a third.
TEST(bootstrap, holds_the_true_median_about_as_often_as_it_says) {
  std::mt19937_64 random(3);
  int holds = 0;
  double width = 0;
  for (int i = 0; i < 100; ++i) {
    std::vector<double> values(15);
    for (double& v : values) v = std::normal_distribution<double>(10, 1)(random);
    const median_interval m = bootstrap_median(values);
    holds += m.low <= 10 && 10 <= m.high;
    width += (m.high - m.low) / 100;
  }
  EXPECT_GE(holds, 87);
  EXPECT_LT(width, 1.7);
}

TEST(ratio_text, has_an_interval_where_there_are_several_values) {
  EXPECT_EQ(ratio_text(bootstrap_median({1, 2, 3})), "2.00 [1.00 .. 3.00]");
  EXPECT_EQ(ratio_text(bootstrap_median({1.5})), "1.50");
  EXPECT_EQ(ratio_text(bootstrap_median({})), "-");
}

}  // namespace
}  // namespace weir::program
