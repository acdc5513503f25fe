#include "scheduler/control/steady_inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace weir {
namespace {

steady_inputs all_of(const std::vector<double>& values) {
  steady_inputs inputs;
  for (double x : values) inputs.add(x);
  return inputs;
}

double mean(const steady_inputs& inputs) {
  double sum = 0, weights = 0;
  for (const typical_input& one : inputs.typical()) sum += one.x * one.weight, weights += one.weight;
  EXPECT_NEAR(weights, 1, 1e-9);
  return sum;
}

// A stream whose values jump by `factor` after `before` of them.
std::vector<double> stream(std::size_t before, std::size_t after, double factor, unsigned seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<> value(3, 1);
  std::vector<double> out;
  for (std::size_t i = 0; i < before + after; ++i) out.push_back(value(random) * (i < before ? 1 : factor));
  return out;
}

TEST(steady_inputs, are_all_while_nothing_changes) {
  int cut = 0;
  for (unsigned seed = 0; seed < 200; ++seed) cut += all_of(stream(1000, 0, 1, seed)).count() < 1000;
  EXPECT_LE(cut, 20);  // of 200 with 125 checks each
}

TEST(steady_inputs, are_those_after_a_change_as_far_as_can_be_told) {
  for (const std::size_t before : {48u, 200u, 1500u})
    for (const std::size_t after : {8u, 16u, 40u, 64u, 100u, 130u, 300u}) {
      std::size_t kept = 0, old = 0;
      for (unsigned seed = 0; seed < 100; ++seed) {
        const std::size_t n = all_of(stream(before, after, 20, seed)).count();
        kept += std::min(n, after);
        old += n > after ? n - after : 0;
      }
      EXPECT_GE(kept, after * 100 / 3) << before << ", " << after;  // at least a third of the new values counts
      // At most as many old values as new ones, or 32, are kept. After 1500 old values, eight new ones may be outliers.
      if (after > 8 || before < 1000) {
        EXPECT_LE(old, std::max<std::size_t>(kept, 100 * 32)) << before << ", " << after;
      }
    }
}

// A change of the mean by a third of the values' scatter is noticed once there are enough values.
TEST(steady_inputs, leave_behind_what_differs_by_little_when_they_are_many) {
  std::mt19937 random(3);
  std::uniform_real_distribution<> value(0.5, 1.5);
  steady_inputs inputs;
  for (int i = 0; i < 1000; ++i) inputs.add(value(random));
  for (int i = 0; i < 400; ++i) inputs.add(1.15 * value(random));
  EXPECT_LE(inputs.count(), 600u);
  EXPECT_NEAR(mean(inputs), 1.15, 0.06);
}

TEST(steady_inputs, of_equal_values_are_all_and_a_step_between_equal_values_is_seen) {
  std::vector<double> values(100, 7.0);
  EXPECT_EQ(all_of(values).count(), 100u);
  ASSERT_EQ(all_of(values).typical().size(), 1u);
  EXPECT_EQ(all_of(values).typical()[0].x, 7.0);
  for (std::size_t i = 0; i < 16; ++i) values.push_back(8.0);
  EXPECT_LE(all_of(values).count(), 16u);
  EXPECT_EQ(all_of({}).count(), 0u);
  EXPECT_TRUE(all_of({}).typical().empty());
  EXPECT_EQ(all_of(std::vector<double>(9, 0.0)).count(), 9u);
  std::vector<double> signs(64, -1.0);
  for (std::size_t i = 0; i < 32; ++i) signs.push_back(2.0);
  EXPECT_LE(all_of(signs).count(), 32u);
}

// At most eight values, ascending, in about equal parts, with the mean of all.
TEST(steady_inputs, typical_values_stand_for_all) {
  std::mt19937 random(5);
  std::uniform_real_distribution<> value(1, 100);
  for (const std::size_t count : {1u, 3u, 8u, 20u, 128u, 129u, 500u, 2048u}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(value(random));
    const steady_inputs inputs = all_of(values);
    if (inputs.count() != count) continue;  // by chance it was taken for a change
    double sum = 0;
    for (double x : values) sum += x;
    EXPECT_NEAR(mean(inputs), sum / static_cast<double>(count), 1e-9 * sum);
    const std::vector<typical_input> typical = inputs.typical();
    EXPECT_EQ(typical.size(), std::min<std::size_t>(8, count));
    EXPECT_TRUE(std::ranges::is_sorted(typical, {}, &typical_input::x));
    for (const typical_input& one : typical) {
      EXPECT_NEAR(one.weight, 1.0 / 8, count >= 128 ? 0.05 : 1);
    }
  }
}

TEST(steady_inputs, are_no_more_than_the_most_and_follow_a_slow_drift) {
  std::mt19937 random(7);
  std::uniform_real_distribution<> value(0.5, 1.5);
  steady_inputs inputs;
  double level = 1;
  for (int i = 0; i < 20000; ++i) {
    inputs.add(level * value(random));
    level *= 1.0002;
    ASSERT_LE(inputs.count(), steady_inputs::most);
  }
  EXPECT_NEAR(mean(inputs) / level, 1, 0.2);
}

// Values that wait: `old` of the kind before, then `fresh` ones that are `factor` times as large.
std::vector<double> waiting(std::size_t old, std::size_t fresh, double factor, unsigned seed) {
  return stream(old, fresh, factor, seed + 10000);
}

TEST(steady_inputs, tell_of_a_change_that_waits_as_soon_as_it_is_near) {
  for (const std::size_t served : {8u, 60u, 500u, 2000u})
    for (const std::size_t fresh : {4u, 20u}) {
      int told = 0;
      for (unsigned seed = 0; seed < 100; ++seed) {
        const auto next = all_of(stream(served, 0, 1, seed)).ahead(waiting(0, fresh, 100, seed));
        told += next && next->count() >= fresh && mean(*next) > 500;  // the mean is 33 before and 3300 after
      }
      EXPECT_GE(told, served == 8 ? 70 : 90) << served << ", " << fresh;
    }
}

TEST(steady_inputs, tell_of_nothing_while_the_values_that_wait_are_like_those_before) {
  int told = 0;
  for (unsigned seed = 0; seed < 1000; ++seed)
    told += all_of(stream(300, 0, 1, seed)).ahead(waiting(0, 24, 1, seed)).has_value();
  EXPECT_LE(told, 20);
}

// Until the change comes, the present division is right.
TEST(steady_inputs, tell_of_no_change_that_is_far_ahead) {
  for (unsigned seed = 0; seed < 100; ++seed)
    EXPECT_FALSE(all_of(stream(300, 0, 1, 7)).ahead(std::vector<double>{20, 21, 19, 9000, 9000, 9000, 9000, 9000}));
}

// Values that came after the change but were added already count with those that wait.
TEST(steady_inputs, tell_of_a_change_that_has_just_begun) {
  std::vector<double> values(100, 1.0);
  values.insert(values.end(), {50, 50, 50});
  const auto next = all_of(values).ahead(std::vector<double>{50, 50, 50});
  ASSERT_TRUE(next);
  EXPECT_GT(mean(*next), 40);
}

TEST(steady_inputs, tell_of_nothing_without_values_that_wait_or_came) {
  EXPECT_FALSE(all_of({1, 1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9}).ahead({}));
  EXPECT_FALSE(steady_inputs().ahead(std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(all_of(std::vector<double>(40, 2.0)).ahead(std::vector<double>(24, 2.0)));
}

}  // namespace
}  // namespace weir
