#include "model/papers/simple_amdahl.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

TEST(simple_amdahl, recovers_a_constant_cost_from_any_two_p) {
  for (const double alpha : {0.0, 0.3, 0.9, 1.0})
    for (const auto& cores : {std::vector{1, 2}, std::vector{3, 5}, std::vector{1, 2, 8, 48}}) {
      const truth cost{alpha, {0.25}};
      simple_amdahl model(degree{3});
      for (int i = 0; i < 5; ++i)
        for (const int p : cores) model.observe(seen(100 * i, p, cost(0, p)));
      EXPECT_NEAR(model.describe().alpha, alpha, 1e-12);
      for (const int p : {1, 2, 7, 100}) EXPECT_NEAR(model.predict(1e6, p).mean, cost(0, p), 1e-12);
      EXPECT_TRUE(model.describe().alpha_known);
    }
}

TEST(simple_amdahl, is_the_least_squares_fit_with_alpha_in_0_to_1_that_brute_force_finds) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    chance random(seed);
    simple_amdahl model(degree{0});
    std::vector<observation> all;
    for (int i = 0; i < 6; ++i) all.push_back(seen(1, 1 + random.index(6), random.uniform(0.01, 1)));
    for (const auto& one : all) model.observe(one);
    if (!model.describe().alpha_known) continue;
    const auto square = [&](double serial, double parallel) {
      double sum = 0;
      for (const auto& one : all) sum += std::pow(one.seconds - serial - parallel / one.cores, 2);
      return sum;
    };
    const prediction found = model.predict(1, 1);
    const double least = square((1 - found.alpha) * found.sequential, found.alpha * found.sequential);
    for (double serial = 0; serial <= 1.5; serial += 0.01)
      for (double parallel = 0; parallel <= 3; parallel += 0.02) ASSERT_GE(square(serial, parallel), least - 1e-9);
  }
}

TEST(simple_amdahl, with_one_p_alpha_is_the_optimistic_prior) {
  simple_amdahl model(degree{0});
  for (int i = 0; i < 5; ++i) model.observe(seen(1, 4, 1));
  EXPECT_FALSE(model.describe().alpha_known);
  EXPECT_DOUBLE_EQ(model.describe().alpha, 0.98);
  EXPECT_DOUBLE_EQ(model.predict(1, 4).mean, 1);
}

TEST(simple_amdahl, its_spread_is_the_scatter_about_the_law) {
  chance random(1);
  const truth cost{0.9, {0.25}};
  simple_amdahl model(degree{0});
  for (int i = 0; i < 5000; ++i) {
    const int p = 1 + random.index(2);
    model.observe(seen(1, p, cost(0, p) + 0.02 * (random.index(2) == 0 ? 1 : -1)));
  }
  EXPECT_NEAR(model.describe().scatter, 0.02 / ((cost(0, 1) + cost(0, 2)) / 2), 0.001);
}

}  // namespace
}  // namespace weir::test
