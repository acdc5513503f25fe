#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <weir/model/named/estimators.hpp>
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

constexpr unsigned trials = 100;  // of 20 predictions each

struct errors {
  double median, p95;
};

errors summarise(std::vector<double> all) {
  std::ranges::sort(all);
  return {all[all.size() / 2], all[all.size() * 95 / 100]};
}

struct plan {
  const char* estimator = "weir";
  int observations = 50;
  int smallest_cores_log2 = 0;
};

// Relative errors within the observed range, for many random cubic truths with 5 % noise.
errors inside(const plan& how) {
  std::vector<double> all;
  for (unsigned trial = 0; trial < trials; ++trial) {
    chance random(1000 + trial);
    const truth cost = random.cubic();
    const auto model = make_estimator(how.estimator, degree{3});
    for (int i = 0; i < how.observations; ++i) {
      const double x = random.x();
      const int p = 1 << (how.smallest_cores_log2 + random.index(6 - how.smallest_cores_log2));
      model->observe(seen(x, p, cost(x, p) * random.noise(0.05)));
    }
    const auto snapshot = model->clone();
    for (int i = 0; i < 20; ++i) {
      const double x = random.x();
      const int p = random.cores();
      all.push_back(relative_error(snapshot->predict(x, p).mean, cost(x, p)));
    }
  }
  const errors out = summarise(std::move(all));
  std::printf("%s, %d observations from p = %d: median %.2f %%, 95th percentile %.2f %%\n", how.estimator,
              how.observations, 1 << how.smallest_cores_log2, 100 * out.median, 100 * out.p95);
  return out;
}

// Thresholds are the measured values plus about a half.
TEST(accuracy, fifty_noisy_observations_give_a_percent) {
  const errors ours = inside({});
  EXPECT_LT(ours.median, 0.014);
  EXPECT_LT(ours.p95, 0.05);
}

TEST(accuracy, five_observations_are_already_worth_acting_on) {
  const errors ours = inside({.observations = 5});
  EXPECT_LT(ours.median, 0.07);
  EXPECT_LT(ours.p95, 0.5);
}

TEST(accuracy, never_seeing_one_core_costs_next_to_nothing) {
  const errors ours = inside({.smallest_cores_log2 = 1});
  EXPECT_LT(ours.median, 0.015);
  EXPECT_LT(ours.p95, 0.055);
}

TEST(accuracy, more_observations_make_it_better) {
  const errors some = inside({.observations = 50}), more = inside({.observations = 1000});
  EXPECT_LT(more.median, 0.004);
  EXPECT_LT(more.median, some.median / 2);
}

TEST(accuracy, the_median_error_is_less_than_a_fifth_of_the_papers) {
  for (const int observations : {20, 50, 200}) {
    const errors ours = inside({.observations = observations});
    const errors theirs = inside({.estimator = "extended-amdahl-online", .observations = observations});
    EXPECT_LT(ours.median, theirs.median / 5);
    EXPECT_LT(ours.p95, theirs.p95 / 5);
  }
}

TEST(accuracy, twofold_extrapolation_in_x_and_p_keeps_the_order_of_magnitude) {
  std::vector<double> all;
  for (unsigned trial = 0; trial < trials; ++trial) {
    chance random(7000 + trial);
    const truth cost = random.cubic();
    const auto model = make_estimator("weir", degree{3});
    for (int i = 0; i < 50; ++i) {
      const double x = random.x();
      const int p = random.cores();
      model->observe(seen(x, p, cost(x, p) * random.noise(0.05)));
    }
    all.push_back(relative_error(model->predict(2048, 64).mean, cost(2048, 64)));
  }
  const errors out = summarise(std::move(all));
  std::printf("extrapolated twofold: median %.2f %%, 95th percentile %.2f %%\n", 100 * out.median, 100 * out.p95);
  EXPECT_LT(out.median, 0.08);
  EXPECT_LT(out.p95, 0.5);
}

// The prior scatter makes intervals from a few observations with little noise too wide rather than too narrow.
TEST(accuracy, ninety_percent_intervals_hold_what_they_promise_and_err_on_the_wide_side) {
  for (const int observations : {20, 50, 200})
    for (const double noise : {0.02, 0.05, 0.2}) {
      int inside_interval = 0, total = 0;
      for (unsigned trial = 0; trial < trials; ++trial) {
        chance random(3000 + trial);
        const truth cost = random.cubic();
        const auto model = make_estimator("weir", degree{3});
        for (int i = 0; i < observations; ++i) {
          const double x = random.x();
          const int p = random.cores();
          model->observe(seen(x, p, cost(x, p) * random.noise(noise)));
        }
        const auto snapshot = model->clone();
        for (int i = 0; i < 20; ++i, ++total) {
          const double x = random.x();
          const int p = random.cores();
          const prediction now = snapshot->predict(x, p);
          inside_interval += std::abs(cost(x, p) * random.noise(noise) - now.mean) < 1.645 * now.spread;
        }
      }
      const double covered = static_cast<double>(inside_interval) / total;
      std::printf("%d observations with %.0f %% noise: covered %.3f\n", observations, 100 * noise, covered);
      EXPECT_GT(covered, 0.85) << observations << " observations, noise " << noise;
      EXPECT_LT(covered, observations >= 50 ? 0.97 : 1.0) << observations << " observations, noise " << noise;
    }
}

TEST(accuracy, small_and_large_x_are_both_right_in_percent) {
  // 200 observations over three decades of x, with times over six: unweighted squares would see only the largest.
  const truth cost{0.9, {1e-4, 1e-6, 0, 1e-9}};
  std::vector<double> small, large;
  for (unsigned trial = 0; trial < trials; ++trial) {
    chance random(500 + trial);
    const auto model = make_estimator("weir", degree{3});
    for (int i = 0; i < 200; ++i) {
      const double x = std::pow(10, random.uniform(1, 4));
      const int p = random.cores();
      model->observe(seen(x, p, cost(x, p) * random.noise(0.05)));
    }
    small.push_back(relative_error(model->predict(15, 4).mean, cost(15, 4)));
    large.push_back(relative_error(model->predict(8000, 4).mean, cost(8000, 4)));
  }
  EXPECT_LT(summarise(small).median, 0.01);
  EXPECT_LT(summarise(large).median, 0.01);
}

}  // namespace
}  // namespace weir::test
