#include "model/papers/extended_amdahl.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <weir/model/named/estimators.hpp>
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

const std::vector<std::string> aggregations{"extended-amdahl", "extended-amdahl:mean", "extended-amdahl:clamped-mean"};

TEST(extended_amdahl, every_aggregation_recovers_the_law_without_noise) {
  const truth cost{0.93, {2e-2, 1e-4, 1e-6, 1e-9}};
  for (const auto& name : aggregations) {
    const auto model = make_estimator(name, degree{3});
    for (double x = 100; x <= 1000; x += 100)
      for (const int p : {8, 1, 4}) model->observe(seen(x, p, cost(x, p)));
    const description learnt = model->describe();
    EXPECT_NEAR(learnt.alpha, 0.93, 1e-9) << name;
    EXPECT_TRUE(learnt.alpha_known);
    EXPECT_LT(learnt.scatter, 1e-9);
    ASSERT_EQ(learnt.coefficients.size(), 4u);
    for (int i = 0; i <= 3; ++i) EXPECT_LT(relative_error(learnt.coefficients[i], cost.coefficients[i]), 1e-6);
    for (const int p : {1, 2, 8, 48})
      for (const double x : {50.0, 333.0, 1000.0, 2000.0})
        EXPECT_LT(relative_error(model->predict(x, p).mean, cost(x, p)), 1e-8) << name;
  }
}

TEST(extended_amdahl, the_three_aggregations_are_what_they_say) {
  // Tseq = 1, and points with alpha = 0.8, -0.4 and 0.9, the last at the largest x and p.
  const double wanted[] = {0.9, (0.8 - 0.4 + 0.9) / 3, (0.8 + 0 + 0.9) / 3};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto model = make_estimator(aggregations[i], degree{0});
    for (const auto& one : {seen(1, 1, 1), seen(2, 1, 1), seen(3, 2, 0.6), seen(1, 4, 1.3), seen(2, 4, 0.325)})
      model->observe(one);
    EXPECT_NEAR(model->describe().alpha, wanted[i], 1e-12) << aggregations[i];
  }
}

TEST(extended_amdahl, the_final_alpha_is_clamped) {
  for (const auto& name : aggregations)
    for (const double seconds : {0.01, 5.0}) {
      const auto model = make_estimator(name, degree{0});
      model->observe(seen(1, 1, 1));
      model->observe(seen(1, 4, seconds));
      EXPECT_EQ(model->describe().alpha, seconds < 1 ? 1 : 0);
    }
}

// The paper's experiment in short: matrix products of N = 50 to 2500 whose times have 5 ms of noise for all N. For
// small N the noise is a multiple of the time, so alpha there is arbitrary.
TEST(extended_amdahl, averaging_alpha_fails_where_small_x_are_dominated_by_noise_and_the_highest_point_does_not) {
  const truth cost{0.98, {0, 0, 0, 1e-9}};
  double error[3] = {0, 0, 0};
  for (unsigned seed = 0; seed < 20; ++seed)
    for (std::size_t i = 0; i < 3; ++i) {
      chance random(seed);
      const auto model = make_estimator(aggregations[i], degree{3});
      for (double x = 50; x <= 2500; x += 50)
        for (const int p : {1, 2, 4, 8, 16, 32, 40, 47})
          model->observe(seen(x, p, cost(x, p) + 0.005 * random.uniform(0, 2)));
      error[i] += std::abs(model->describe().alpha - 0.98) / 20;
    }
  std::printf("mean error of alpha: highest %.4f, mean %.4f, clamped mean %.4f\n", error[0], error[1], error[2]);
  EXPECT_LT(error[0], 0.002);
  EXPECT_GT(error[1], 10 * error[0]);
  EXPECT_GT(error[2], 10 * error[0]);
}

TEST(extended_amdahl, without_one_core_the_smallest_p_stands_in_with_the_optimistic_alpha) {
  const truth cost{0.98, {0, 2e-3}};
  extended_amdahl model("extended-amdahl", degree{1});
  for (int i = 1; i <= 20; ++i) model.observe(seen(i, 2, cost(i, 2)));
  EXPECT_FALSE(model.describe().alpha_known);
  EXPECT_EQ(model.describe().alpha, 0.98);
  EXPECT_LT(relative_error(model.predict(10, 1).mean, cost(10, 1)), 1e-9);
  model.observe(seen(10, 8, cost(10, 8)));
  EXPECT_FALSE(model.describe().alpha_known);
  EXPECT_NEAR(model.describe().alpha, 0.98, 1e-9);
}

TEST(extended_amdahl, fewer_distinct_x_than_coefficients_lower_the_degree) {
  extended_amdahl model("extended-amdahl", degree{3});
  model.observe(seen(100, 1, 2));
  EXPECT_DOUBLE_EQ(model.predict(1000, 1).mean, 2);
  model.observe(seen(200, 1, 4));
  EXPECT_NEAR(model.predict(1000, 1).mean, 20, 1e-9);
}

TEST(extended_amdahl, its_spread_is_the_scatter_about_the_law) {
  chance random(1);
  const truth cost{0.9, {1e-3, 0, 1e-6}};
  extended_amdahl model("extended-amdahl", degree{2});
  for (int i = 0; i < 4000; ++i) {
    const double x = random.uniform(100, 1000);
    const int p = 1 << random.index(3);
    model.observe(seen(std::round(x / 20) * 20, p, cost(std::round(x / 20) * 20, p) * random.noise(0.05)));
  }
  EXPECT_NEAR(model.describe().scatter, 0.05, 0.005);
  const prediction now = model.predict(500, 2);
  EXPECT_NEAR(now.spread / now.mean, 0.05, 0.005);
  EXPECT_FALSE(now.extrapolates);
  EXPECT_TRUE(model.predict(500, 8).extrapolates);
  EXPECT_TRUE(model.predict(2000, 2).extrapolates);
  EXPECT_LT(model.predict(500, 8).confidence, now.confidence);
}

}  // namespace
}  // namespace weir::test
