#include "model/weir/ratio_sketch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/model/named/estimators.hpp>
#include "model/law/component_law.hpp"
#include "model/weir/drift.hpp"
#include "model/weir/p_correction.hpp"
#include "model/weir/repeats.hpp"
#include "model/weir/x_correction.hpp"
#include "tests/model/truth.hpp"
#include "tests/support/refusal.hpp"

// How long the longest invocations take: quantiles of a component's times.
namespace weir::test {
namespace {

double pareto(chance& random, double least, double exponent) {
  return least * std::pow(random.uniform(0, 1), -1 / exponent);
}

// A component whose times are a law times a factor, and the factor that 99 of 100 stay below.
struct scattered {
  const char* name;
  double p99;
  double (*factor)(chance&);
};

double bimodal(chance& random) { return random.noise(0.05) * (random.uniform(0, 1) < 0.1 ? 20 : 1); }

constexpr unsigned trials = 101;

// Relative errors of the learnt p99 after `count` observations, by trial; ascending.
std::vector<double> errors_of_p99(const scattered& of, int count, degree k, const truth& law) {
  std::vector<double> errors;
  for (unsigned seed = 1; seed <= trials; ++seed) {
    chance random(seed);
    const auto model = make_estimator("weir", k);
    for (int i = 0; i < count; ++i) {
      const double x = random.uniform(500, 1500);
      const int p = 1 << random.index(4);
      model->observe(seen(x, p, law(x, p) * of.factor(random)));
    }
    errors.push_back(model->quantile(0.99, 900, 4) / (law(900, 4) * of.p99) - 1);
  }
  std::ranges::sort(errors, {}, [](double e) { return std::abs(e); });
  return errors;
}

TEST(p99, of_heavy_and_light_tails_is_within_15_percent_at_500_observations_in_half_of_the_trials) {
  const scattered all[] = {
      {"Pareto 1.5", std::pow(100, 1 / 1.5), [](chance& r) { return pareto(r, 1, 1.5); }},
      {"Pareto 2", 10, [](chance& r) { return pareto(r, 1, 2); }},
      {"Pareto 3", std::pow(100, 1 / 3.), [](chance& r) { return pareto(r, 1, 3); }},
      {"log-normal 0.8", std::exp(0.8 * 2.3263), [](chance& r) { return r.noise(0.8); }},
      {"log-normal 0.05", std::exp(0.05 * 2.3263), [](chance& r) { return r.noise(0.05); }},
      {"one in ten 20 times as long", 20 * std::exp(0.05 * 1.2816), bimodal},
      {"always the same", 1, [](chance&) { return 1.0; }},
  };
  for (const scattered& of : all) {
    const auto errors = errors_of_p99(of, 500, degree{3}, truth{0.95, {2e-3, 0, 0, 1e-9}});
    const double median = std::abs(errors[errors.size() / 2]);
    std::printf("%-28s median error of p99 %.1f %%, nine in ten within %.0f %%\n", of.name, 100 * median,
                100 * std::abs(errors[errors.size() * 9 / 10]));
    EXPECT_LE(median, 0.15) << of.name;
  }
}

// Less than 500 observations of a tail say less, but there is always an answer.
TEST(p99, after_no_or_few_observations_is_no_nan_and_no_less_than_the_mean) {
  for (const std::string& name : estimator_variants()) {
    const auto model = make_estimator(name, degree{3});
    EXPECT_EQ(model->quantile(0.99, 1, 1), std::numeric_limits<double>::infinity()) << name;
    for (int n = 1; n <= 30; ++n) {
      model->observe(seen(1, 1, 0.01));
      const double p99 = model->quantile(0.99, 1, 1);
      EXPECT_GE(p99, model->mean(1, 1)) << name << n;
      EXPECT_FALSE(std::isnan(p99)) << name << n;
    }
  }
}

TEST(p99, of_one_in_ten_that_takes_twenty_times_as_long_is_near_the_upper_mode_at_200_observations) {
  const scattered of{"", 20 * std::exp(0.05 * 1.2816), bimodal};
  EXPECT_LE(std::abs(errors_of_p99(of, 200, degree{0}, truth{0.9, {0.01}}).at(trials / 2)), 0.1);
}

TEST(quantiles, rise_with_the_part) {
  chance random(3);
  const auto model = make_estimator("weir", degree{0});
  for (int i = 0; i < 400; ++i) model->observe(seen(1, 1, pareto(random, 0.01, 1.5)));
  double before = 0;
  for (int i = 1; i < 1000; ++i) {
    const double now = model->quantile(i / 1000., 1, 1);
    EXPECT_GE(now, before * (1 - 1e-12)) << i;
    before = now;
  }
}

TEST(quantiles, of_a_part_outside_of_0_to_1_are_refused_naming_it) {
  const auto model = make_estimator("weir", degree{0});
  for (const double part : {0.0, 1.0, -1.0, 99.0, std::nan("")}) {
    const std::string why = testing::refusal<std::invalid_argument>([&] { (void)model->quantile(part, 1, 1); });
    EXPECT_NE(why.find("it must be in (0, 1)"), std::string::npos) << part << ": " << why;
  }
}

TEST(quantiles, follow_a_change_of_the_level_and_forget_a_former_scatter) {
  chance random(1);
  const auto model = make_estimator("weir", degree{0});
  for (int i = 0; i < 300; ++i) model->observe(seen(1, 1, 0.01 * random.noise(0.1)));
  for (int i = 0; i < 200; ++i) model->observe(seen(1, 1, 0.03 * random.noise(0.1)));
  EXPECT_NEAR(model->quantile(0.99, 1, 1), 0.03 * std::exp(0.2326), 0.003);
  ratio_sketch sketch;
  for (int i = 0; i < 2000; ++i) sketch.add(std::log(pareto(random, 1, 1.5)));
  for (int i = 0; i < 8000; ++i) sketch.add(0.1 * random.normal());
  EXPECT_NEAR(sketch.log_quantile(0.99, 0.1), 0.2326, 0.05);
}

TEST(quantiles, do_not_take_the_mean_of_several_invocations_for_one) {
  chance random(1);
  const auto model = make_estimator("weir", degree{0});
  for (int i = 0; i < 300; ++i) {
    model->observe(seen(1, 1, 0.01 * random.noise(0.5)));
    observation mean = seen(1, 1, 0.01);
    mean.averaged = 16;
    model->observe(mean);
  }
  EXPECT_NEAR(model->quantile(0.9, 1, 1), 0.01 * std::exp(0.5 * 1.2816), 0.002);
}

// The former format had no sketch, and else the same.
TEST(quantiles, are_saved_and_a_model_saved_without_them_is_read) {
  for (const degree k : {degree{3}, unknown_degree}) {
    chance random(4);
    const auto original = make_estimator("weir", k), restored = make_estimator("weir", k);
    for (int i = 0; i < 200; ++i) original->observe(seen(random.uniform(1, 9), 2, pareto(random, 1, 2)));
    ASSERT_TRUE(restored->restore(original->state()));
    EXPECT_EQ(restored->quantile(0.99, 4, 2), original->quantile(0.99, 4, 2));
    std::vector<double> former = original->state();
    former[0] -= 2;
    const auto sketch = former.begin() + 15 + 2 * (component_law::max_degree + 1) + drift::size + x_correction::size +
                        2 * repeats::size + p_correction::size;
    former.erase(sketch, sketch + ratio_sketch::size);
    ASSERT_TRUE(restored->restore(former));
    EXPECT_EQ(restored->predict(4, 2).mean, original->predict(4, 2).mean);
    EXPECT_GT(restored->quantile(0.99, 4, 2), restored->mean(4, 2));
  }
}

TEST(quantiles, of_numbers_that_no_sketch_can_have_are_not_read) {
  ratio_sketch sketch;
  auto numbers = sketch.numbers();
  numbers[5] = -1;
  EXPECT_FALSE(sketch.assign(numbers));
  numbers[5] = std::nan("");
  EXPECT_FALSE(sketch.assign(numbers));
}

}  // namespace
}  // namespace weir::test
