#include "model/weir/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/model/round_trip.hpp"
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

constexpr double usual_noise = 0.05;

drift::remembered residual(double r) { return {100, 1, static_cast<float>(r), 4}; }

// The number of changes that the test reports in `count` residuals drawn by `draw`.
template <typename Draw>
int changes(int count, Draw draw) {
  drift test;
  int found = 0;
  for (int i = 0; i < count; ++i) found += test.add(residual(draw()), usual_noise, true).kind != drift::change::none;
  return found;
}

TEST(drift, is_quiet_while_nothing_changes) {
  chance random(1);
  EXPECT_EQ(changes(100000, [&] { return usual_noise * random.normal(); }), 0);
}

TEST(drift, takes_one_late_invocation_in_twenty_for_what_it_is) {
  chance random(2);
  const auto draw = [&] {
    const double late = random.uniform(0, 1) < 0.05 ? std::log(2 * std::pow(random.uniform(1e-9, 1), -1 / 1.5)) : 0;
    return usual_noise * random.normal() + late;
  };
  EXPECT_LE(changes(20000, draw), 4);
}

TEST(drift, sees_a_level_within_ten_observations_and_says_which) {
  int levels = 0;
  for (const double factor : {0.5, 0.8, 1.25, 3.0})
    for (unsigned seed = 0; seed < 50; ++seed) {
      SCOPED_TRACE(::testing::Message() << "factor " << factor << ", seed " << seed);
      chance random(seed);
      drift test;
      for (int i = 0; i < 200; ++i) test.add(residual(usual_noise * random.normal()), usual_noise, true);
      drift::verdict found;
      int waited = 0;
      while (found.kind == drift::change::none && waited < 20) {
        ++waited;
        found = test.add(residual(std::log(factor) + usual_noise * random.normal()), usual_noise, true);
      }
      EXPECT_LE(waited, 10);
      EXPECT_NEAR(found.level, std::log(factor), 3 * usual_noise);
      EXPECT_LE(found.since, waited + 2);  // postponed noise just before the change may count as part of it
      levels += found.kind == drift::change::level;
    }
  EXPECT_GE(levels, 190);  // of 200: six observations may scatter by chance as if each had its own factor
}

TEST(drift, sees_a_level_of_two_deviations_in_time) {
  int seen = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    chance random(seed);
    seen += changes(100, [&] { return usual_noise * (2 + random.normal()); }) > 0;
  }
  EXPECT_GE(seen, 45);
}

TEST(drift, tells_times_that_changed_each_in_its_own_way_from_a_level) {
  int right = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    chance random(seed);
    drift test;
    drift::verdict found;
    for (int i = 0; i < 40 && found.kind == drift::change::none; ++i)
      found = test.add(residual(random.uniform(-1.5, 1.5)), usual_noise, true);
    right += found.kind == drift::change::shape;
  }
  EXPECT_GE(right, 95);
}

// Residuals that are off for long raise the scatter, so that none of them is off by much of it.
TEST(drift, sees_a_bias_whatever_the_scatter_is_said_to_be) {
  chance random(4);
  drift test;
  constexpr double inflated = 0.4;
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(test.add(residual(-0.2 + usual_noise * random.normal()), inflated, true).kind, drift::change::none);
  EXPECT_NEAR(test.bias(), -0.2, 2 * usual_noise);
}

TEST(drift, sees_no_bias_in_noise_in_few_residuals_and_in_several_numbers_of_cores) {
  chance random(5);
  drift test;
  int seen = 0;
  for (int i = 0; i < 100000; ++i) {
    test.add(residual(usual_noise * random.normal()), usual_noise, true);
    seen += test.bias() != 0;
  }
  EXPECT_LE(seen, 8);  // one change may be seen in several steps
  drift few, several;
  for (int i = 0; i < drift::memory; ++i) {
    EXPECT_EQ(few.bias(), 0) << i;
    few.add(residual(0.3), 1, true);
    several.add({100, 1, 0.3F, i + 1 < drift::memory ? 4 : 5}, 1, true);
  }
  EXPECT_NE(few.bias(), 0);
  EXPECT_EQ(several.bias(), 0);
  few.add(residual(0.3), 1, false);
  EXPECT_EQ(few.bias(), 0) << "one of the last does not count";
}

TEST(drift, remembers_but_does_not_judge_what_does_not_count) {
  drift test;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(test.add(residual(2), usual_noise, false).kind, drift::change::none);
  EXPECT_EQ(test.last(0).residual, 2);
}

TEST(drift, remembers_the_last_in_order) {
  drift test;
  for (int i = 0; i < 40; ++i) test.add({static_cast<float>(i), 1, 0, 1}, usual_noise, true);
  for (int i = 0; i < drift::memory; ++i) EXPECT_EQ(test.last(i).x, 39 - i);
}

TEST(drift, comes_back_from_its_numbers_and_refuses_others) {
  chance random(3);
  drift test;
  for (int i = 0; i < 23; ++i) test.add(residual(usual_noise * random.normal() + 0.04), usual_noise, true);
  expect_round_trip(test);
}

}  // namespace
}  // namespace weir::test
