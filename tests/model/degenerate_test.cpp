#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <weir/model/named/estimators.hpp>
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

void expect_sound(const estimator& model, double x, int cores) {
  const prediction now = model.predict(x, cores);
  for (const double value : {now.mean, now.spread, now.alpha, now.sequential, now.confidence}) {
    EXPECT_TRUE(std::isfinite(value)) << "x " << x << ", p " << cores;
    EXPECT_GE(value, 0) << "x " << x << ", p " << cores;
  }
  EXPECT_LE(now.alpha, 1);
  EXPECT_LE(now.confidence, 1);
}

// Invariants of every estimator.
class any_estimator : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<estimator> make(int k) const { return make_estimator(GetParam(), degree{k}); }
};
INSTANTIATE_TEST_SUITE_P(estimators, any_estimator, ::testing::ValuesIn(estimator_variants()), as_test_name());

TEST_P(any_estimator, knows_nothing_before_the_first_observation) {
  const auto model = make(3);
  const prediction now = model->predict(100, 4);
  EXPECT_TRUE(std::isnan(now.mean));
  EXPECT_EQ(now.confidence, 0);
  const description learnt = model->describe();
  EXPECT_EQ(learnt.observations, 0u);
  EXPECT_EQ(learnt.largest_cores, 0);
  EXPECT_FALSE(learnt.alpha_known);
  EXPECT_EQ(learnt.words, "nothing observed yet");
}

TEST_P(any_estimator, ignores_what_cannot_be_learnt_from) {
  const auto model = make(1);
  observation moved = seen(10, 2, 1);
  moved.after_move = true;
  model->observe(moved);
  for (const double bad : {not_a_number, infinity, -infinity, -1.0}) {
    model->observe(seen(bad, 2, 1));
    model->observe(seen(10, 2, bad));
  }
  model->observe(seen(10, 2, 0));
  model->observe(seen(10, 0, 1));
  model->observe(seen(10, -4, 1));
  EXPECT_EQ(model->describe().observations, 0u);
  EXPECT_TRUE(std::isnan(model->predict(10, 2).mean));
}

TEST_P(any_estimator, is_finite_and_not_negative_for_every_x_and_p_after_any_observations) {
  // Estimators that compute their curves for each answer are asked less often, only to save time.
  const int every = GetParam().starts_with("parallel-penalty") ? 5 : 1;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    chance random(seed);
    const auto model = make(static_cast<int>(seed % 9));
    for (int i = 0; i < 40; ++i) {
      const double x = random.index(10) == 0 ? 0 : std::pow(10, random.uniform(-5, 7));
      const int p = 1 + random.index(random.index(2) == 0 ? 4 : 100000);
      model->observe(seen(x, p, std::pow(10, random.uniform(-9, 4))));
      if (i % every != 0) continue;
      for (const double there : {0.0, 1e-300, 1e-3, 1.0, 1e6, 1e40, 1e300})
        for (const int cores : {1, 7, 1 << 20, std::numeric_limits<int>::max()}) expect_sound(*model, there, cores);
    }
  }
}

TEST_P(any_estimator, survives_extreme_but_legal_observations) {
  const auto model = make(8);
  for (const double x : {0.0, 1e-308, 1e308, 1.0})
    for (const double t : {1e-12, 1e12})
      for (const int p : {1, std::numeric_limits<int>::max()}) {
        model->observe(seen(x, p, t));
        for (const double there : {0.0, 1e-308, 1.0, 1e308}) expect_sound(*model, there, 3);
      }
  for (const double odd : {not_a_number, -1.0, infinity}) expect_sound(*model, odd, 1);
  for (const int odd : {0, -1}) expect_sound(*model, 1, odd);
}

TEST(degenerate, one_core_count_leaves_alpha_at_its_optimistic_prior) {
  const truth cost{0.3, {0, 2e-3}};
  const auto model = make_estimator("weir", degree{1});
  for (int i = 1; i <= 20; ++i) model->observe(seen(i, 2, cost(i, 2)));
  const description learnt = model->describe();
  EXPECT_FALSE(learnt.alpha_known);
  EXPECT_EQ(learnt.alpha, 0.98);
  EXPECT_LT(relative_error(model->predict(10, 2).mean, cost(10, 2)), 1e-6);
  const prediction elsewhere = model->predict(10, 16);
  EXPECT_GT(elsewhere.spread / elsewhere.mean, 0.5);
  EXPECT_GT(model->predict(10, 2).confidence, 0.9);
  EXPECT_LT(elsewhere.confidence, 0.2);
}

TEST(degenerate, one_x_is_fine_at_that_x_and_uncertain_elsewhere) {
  const truth cost{0.9, {1e-3, 0, 0, 1e-9}};
  const auto model = make_estimator("weir", degree{3});
  for (int i = 0; i < 40; ++i) model->observe(seen(500, 1 + i % 8, cost(500, 1 + i % 8)));
  const prediction here = model->predict(500, 3), larger = model->predict(1000, 3), smaller = model->predict(50, 3);
  EXPECT_LT(relative_error(here.mean, cost(500, 3)), 1e-6);
  EXPECT_NEAR(here.alpha, 0.9, 1e-6);
  EXPECT_LT(here.spread / here.mean, 0.05);
  EXPECT_GT(here.confidence, 0.95);
  EXPECT_GT(larger.spread / larger.mean, 0.5);
  EXPECT_GT(smaller.spread / smaller.mean, 0.5);
  EXPECT_LT(larger.confidence, 0.3);
}

TEST(degenerate, fewer_distinct_x_than_coefficients_are_still_fitted) {
  const truth cost{0.8, {1e-3, 1e-5, 1e-7, 1e-9}};
  const auto model = make_estimator("weir", degree{3});
  for (int i = 0; i < 12; ++i)
    for (const double x : {100.0, 1000.0}) model->observe(seen(x, 1 + i % 4, cost(x, 1 + i % 4)));
  for (const double x : {100.0, 1000.0}) EXPECT_LT(relative_error(model->predict(x, 2).mean, cost(x, 2)), 1e-6);
}

TEST(degenerate, x_of_zero_is_the_constant_term) {
  const truth cost{0.5, {3e-3, 1e-3}};
  const auto model = make_estimator("weir", degree{1});
  for (int i = 0; i < 20; ++i) model->observe(seen(0, 1 + i % 2, cost(0, 1 + i % 2)));
  EXPECT_LT(relative_error(model->predict(0, 1).mean, cost(0, 1)), 1e-6);
  for (int i = 0; i < 10; ++i) model->observe(seen(i, 1, cost(i, 1)));
  EXPECT_LT(relative_error(model->predict(0, 2).mean, cost(0, 2)), 1e-6);
  EXPECT_LT(relative_error(model->predict(9, 2).mean, cost(9, 2)), 1e-6);
}

TEST(degenerate, a_narrow_range_of_huge_x_is_right_within_it) {
  const truth cost{0.95, {1e-3, 1e-9, 1e-14, 1e-19}};
  chance random(8);
  const auto exact = make_estimator("weir", degree{3}), noisy = make_estimator("weir", degree{3});
  for (int i = 0; i < 400; ++i) {
    const double x = random.uniform(0.999e6, 1e6);
    const int p = random.cores();
    exact->observe(seen(x, p, cost(x, p)));
    noisy->observe(seen(x, p, cost(x, p) * random.noise(0.05)));
  }
  for (const double x : {0.999e6, 0.9995e6, 1e6})
    for (const int p : {1, 8, 32}) {
      EXPECT_LT(relative_error(exact->predict(x, p).mean, cost(x, p)), 1e-6);
      EXPECT_LT(relative_error(noisy->predict(x, p).mean, cost(x, p)), 0.02);
    }
}

TEST(degenerate, repeating_one_observation_changes_only_how_sure_the_model_is) {
  const auto once = make_estimator("weir", degree{2}), often = make_estimator("weir", degree{2});
  once->observe(seen(10, 4, 0.5));
  for (int i = 0; i < 1000; ++i) often->observe(seen(10, 4, 0.5));
  EXPECT_NEAR(often->predict(10, 4).mean, once->predict(10, 4).mean, 1e-9);
  EXPECT_LT(often->predict(10, 4).spread, once->predict(10, 4).spread);
  EXPECT_GT(often->predict(10, 4).confidence, once->predict(10, 4).confidence);
}

TEST(degenerate, spread_grows_and_confidence_falls_away_from_what_was_seen) {
  chance random(4);
  const truth cost{0.9, {1e-3, 0, 0, 1e-9}};
  const auto model = make_estimator("weir", degree{3});
  for (int i = 0; i < 100; ++i) {
    const double x = random.x();
    const int p = 1 << random.index(3);
    model->observe(seen(x, p, cost(x, p) * random.noise(0.05)));
  }
  const auto relative = [&](double x, int p) { return model->predict(x, p).spread / model->predict(x, p).mean; };
  for (int p = 4; p < 1024; p *= 2) {
    EXPECT_GT(relative(500, 2 * p), relative(500, p)) << p;
    EXPECT_LT(model->predict(500, 2 * p).confidence, model->predict(500, p).confidence) << p;
  }
  for (double x = 1024; x < 1e6; x *= 2) {
    EXPECT_GT(relative(2 * x, 2), relative(x, 2)) << x;
    EXPECT_LT(model->predict(2 * x, 2).confidence, model->predict(x, 2).confidence) << x;
  }
}

TEST(degenerate, more_than_thirty_two_core_counts_are_learnt) {
  const truth cost{0.95, {0, 1e-3}};
  const auto model = make_estimator("weir", degree{1});
  chance random(2);
  for (int i = 0; i < 4000; ++i) {
    const double x = random.uniform(1, 100);
    const int p = 1 + random.index(200);
    model->observe(seen(x, p, cost(x, p) * random.noise(0.05)));
  }
  EXPECT_NEAR(model->describe().alpha, 0.95, 0.002);
  EXPECT_EQ(model->describe().largest_cores, 200);
  for (const int p : {1, 2, 20, 64, 200}) EXPECT_LT(relative_error(model->predict(50, p).mean, cost(50, p)), 0.02) << p;
}

}  // namespace
}  // namespace weir::test
