#include "bench/measurements/components/learnt.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace weir::component_costs {
namespace {

// Observations of the law T(x, p) = 1e-9 x^3 (0.9 / p + 0.1), without noise, every point twice in a row.
std::vector<observation> cubic(std::size_t points) {
  std::vector<observation> seen;
  for (std::size_t i = 0; i < points; ++i) {
    const double x = 50 + 37 * static_cast<double>(i % 11);
    const int cores = 1 + static_cast<int>(i % 2);
    const double seconds = 1e-9 * x * x * x * (0.9 / cores + 0.1);
    for (int half = 0; half < 2; ++half) seen.push_back({.x = x, .cores = cores, .seconds = seconds});
  }
  return seen;
}

TEST(learnt, a_law_without_noise_is_learnt_without_error) {
  const learnt result = learn("weir", degree{3}, cubic(60));
  EXPECT_EQ(result.observations, 60);
  EXPECT_LT(result.online.p95, 0.01);
  EXPECT_LT(result.held_out.p95, 0.01);
  EXPECT_NEAR(result.model.alpha, 0.9, 1e-4);
}

TEST(learnt, what_is_held_out_is_not_learnt) {
  std::vector<observation> seen = cubic(60);
  for (std::size_t i = 1; i < seen.size(); i += 2) seen[i].seconds *= 2;
  const learnt result = learn("weir", degree{3}, seen);
  EXPECT_LT(result.online.p95, 0.01);
  EXPECT_NEAR(result.held_out.median, 50, 0.01);
  EXPECT_NEAR(look_up(seen).held_out.median, 50, 1e-9);
}

// All observations are the same but the last learnt one; a model that had learnt it first would not err by half.
TEST(learnt, each_is_predicted_before_it_is_learnt) {
  std::vector<observation> seen(2 * (first_predicted + 1), {.x = 5, .cores = 1, .seconds = 1});
  seen[2 * first_predicted].seconds = 2;
  EXPECT_NEAR(learn("weir", degree{0}, seen).online.median, 50, 1e-6);
  EXPECT_NEAR(look_up(seen).online.median, 50, 1e-9);
}

TEST(learnt, nothing_predicted_is_no_error) {
  const learnt result = learn("weir", degree{3}, {});
  EXPECT_EQ(result.observations, 0);
  EXPECT_TRUE(std::isnan(result.online.median));
  EXPECT_TRUE(std::isnan(result.held_out.p95));
  EXPECT_TRUE(std::isnan(learn("weir", degree{3}, cubic(first_predicted)).online.median));
  EXPECT_FALSE(std::isnan(learn("weir", degree{3}, cubic(first_predicted + 1)).online.median));
}

TEST(learnt, the_table_knows_only_what_it_saw) {
  const std::vector<observation> seen{
      {.x = 1, .seconds = 3}, {.x = 1, .seconds = 3}, {.x = 1, .seconds = 3}, {.x = 2, .seconds = 7}};
  EXPECT_EQ(look_up(seen).held_out.p95, 0);  // it predicts nothing for x = 2
}

TEST(learnt, refuses_an_unknown_estimator) { EXPECT_THROW(learn("none", degree{3}, {}), std::invalid_argument); }

}  // namespace
}  // namespace weir::component_costs
