#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <weir/model/named/estimators.hpp>
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

const std::vector<std::vector<double>> polynomials{
    {0.25}, {1e-3, 2e-4}, {0, 3e-5}, {1e-3, 1e-5, 2e-6}, {0, 0, 5e-7}, {2e-2, 1e-4, 1e-6, 1e-9}, {0, 0, 0, 1e-9}};

void learn_grid(estimator& model, const truth& cost, const std::vector<int>& cores) {
  for (const int p : cores)
    for (double x = 100; x <= 1000; x += 100) model.observe(seen(x, p, cost(x, p)));
}

void expect_recovered(const estimator& model, const truth& cost) {
  for (const int p : {1, 2, 5, 8, 64})
    for (const double x : {50.0, 100.0, 333.0, 1000.0, 2000.0})
      EXPECT_LT(relative_error(model.predict(x, p).mean, cost(x, p)), 1e-6) << "x " << x << ", p " << p;
  EXPECT_NEAR(model.describe().alpha, cost.alpha, 1e-6);
}

TEST(recovery, a_noise_free_amdahl_law_is_recovered_exactly) {
  for (const auto& coefficients : polynomials)
    for (const double alpha : {0.0, 0.1, 0.5, 0.9, 0.98, 0.999, 1.0}) {
      SCOPED_TRACE(::testing::Message() << "degree " << coefficients.size() - 1 << ", alpha " << alpha);
      const truth cost{alpha, coefficients};
      const auto model = make_estimator("weir", degree{static_cast<int>(coefficients.size()) - 1});
      learn_grid(*model, cost, {1, 2, 4, 8});
      expect_recovered(*model, cost);
    }
}

TEST(recovery, needs_no_observation_on_one_core) {
  for (const auto& coefficients : polynomials)
    for (const double alpha : {0.0, 0.5, 0.95, 1.0}) {
      SCOPED_TRACE(::testing::Message() << "degree " << coefficients.size() - 1 << ", alpha " << alpha);
      const truth cost{alpha, coefficients};
      const auto model = make_estimator("weir", degree{static_cast<int>(coefficients.size()) - 1});
      learn_grid(*model, cost, {3, 5, 8});
      expect_recovered(*model, cost);
    }
}

TEST(recovery, coefficients_are_those_of_the_truth) {
  const truth cost{0.9, {2e-2, 1e-4, 1e-6, 1e-9}};
  const auto model = make_estimator("weir", degree{3});
  learn_grid(*model, cost, {1, 4});
  const auto found = model->describe().coefficients;
  ASSERT_EQ(found.size(), 4u);
  for (int i = 0; i <= 3; ++i) EXPECT_LT(relative_error(found[i], cost.coefficients[i]), 1e-6) << i;
}

TEST(recovery, a_degree_higher_than_the_truth_costs_nothing) {
  const truth cost{0.9, {1e-3, 2e-4}};
  const auto model = make_estimator("weir", degree{3});
  learn_grid(*model, cost, {1, 4});
  expect_recovered(*model, cost);
}

TEST(recovery, the_unit_of_x_changes_nothing_when_it_is_a_power_of_two) {
  const truth cost{0.9, {2e-2, 1e-4, 1e-6, 1e-9}};
  for (const int shift : {-300, -20, 1, 7, 60}) {
    const auto plain = make_estimator("weir", degree{3});
    const auto scaled = make_estimator("weir", degree{3});
    chance random(5);
    for (int i = 0; i < 100; ++i) {
      const double x = random.x();
      const int p = random.cores();
      const double t = cost(x, p) * random.noise(0.05);
      plain->observe(seen(x, p, t));
      scaled->observe(seen(std::ldexp(x, shift), p, t));
    }
    for (const double x : {10.0, 500.0, 4000.0}) {
      const prediction here = plain->predict(x, 6);
      const prediction there = scaled->predict(std::ldexp(x, shift), 6);
      EXPECT_LT(relative_error(there.mean, here.mean), 1e-12) << shift;
      EXPECT_LT(relative_error(there.spread, here.spread), 1e-12) << shift;
    }
  }
}

TEST(recovery, order_does_not_matter_without_noise_and_hardly_with_it) {
  const truth cost{0.93, {1e-3, 0, 2e-7, 1e-9}};
  for (const double noise : {0.0, 0.05}) {
    chance random(11);
    std::vector<observation> all;
    for (int i = 0; i < 200; ++i) {
      const double x = random.x();
      const int p = random.cores();
      all.push_back(seen(x, p, cost(x, p) * random.noise(noise)));
    }
    const auto first = make_estimator("weir", degree{3});
    for (const auto& one : all) first->observe(one);
    // With noise, weights and local corrections depend on the prediction at the time of an observation. If x rises
    // throughout, the law is always asked beyond the observed range.
    const double tolerance = noise == 0 ? 1e-6 : 0.1;
    for (int trial = 0; trial < 20; ++trial) {
      if (trial == 0)
        std::ranges::sort(all, {}, &observation::x);
      else
        std::ranges::shuffle(all, random.engine());
      const auto again = make_estimator("weir", degree{3});
      for (const auto& one : all) again->observe(one);
      for (const double x : {40.0, 200.0, 1000.0})
        for (const int p : {1, 8, 32})
          EXPECT_LT(relative_error(again->predict(x, p).mean, first->predict(x, p).mean), tolerance)
              << "x " << x << ", p " << p;
    }
  }
}

}  // namespace
}  // namespace weir::test
