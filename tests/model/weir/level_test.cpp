#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <weir/model/named/estimators.hpp>
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

// Factors on a time, with the mean 1, for a reason that x does not tell.
struct unseen_reason {
  std::string name;
  double most_error;  // of the mean after 1000 observations, half of the trials
  std::function<double(chance&)> factor;
};

const double log_25 = std::log(25.0);
const unseen_reason reasons[] = {
    {"log-normal, 0.8", 0.08, [](chance& r) { return std::exp(0.8 * r.normal() - 0.32); }},
    {"one in ten takes 20 times as long", 0.1, [](chance& r) { return (r.uniform(0, 1) < 0.1 ? 20 : 1) / 2.9; }},
    {"a hidden number of 1 to 25", 0.08, [](chance& r) { return std::exp(r.uniform(0, log_25)) * log_25 / 24; }},
};

const truth constant{0.9, {0.2}};

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

TEST(level, of_times_that_scatter_by_much_is_their_mean_and_intervals_hold_them) {
  for (const unseen_reason& s : reasons) {
    SCOPED_TRACE(s.name);
    std::vector<double> errors;
    int inside = 0, asked = 0;
    for (unsigned trial = 1; trial <= 40; ++trial) {
      chance random(trial);
      const auto model = make_estimator("weir", unknown_degree);
      for (int i = 0; i < 1000; ++i) {
        const int p = random.cores();
        model->observe(seen(1, p, constant(1, p) * s.factor(random)));
      }
      for (const int p : {1, 4, 32}) {
        const prediction said = model->predict(1, p);
        errors.push_back(relative_error(said.mean, constant(1, p)));
        for (int i = 0; i < 20; ++i, ++asked)
          inside += std::abs(constant(1, p) * s.factor(random) - said.mean) < 1.645 * said.spread;
      }
    }
    EXPECT_LT(median_of(errors), s.most_error);
    const double held = static_cast<double>(inside) / asked;
    EXPECT_GT(held, 0.85);
    EXPECT_LT(held, 0.97);
  }
}

TEST(level, is_that_of_the_law_where_x_tells_why_times_differ) {
  chance random(3);
  const truth cubic{0.9, {1e-3, 0, 0, 1e-9}};
  const auto model = make_estimator("weir", unknown_degree);
  for (int i = 0; i < 1000; ++i) {
    const double x = random.x();
    const int p = random.cores();
    model->observe(seen(x, p, cubic(x, p) * random.noise(0.05) * (random.uniform(0, 1) < 0.1 ? 20 : 1)));
  }
  for (const double x : {64.0, 256.0, 1024.0})
    EXPECT_LT(relative_error(model->predict(x, 4).mean, cubic(x, 4)), 0.1) << "x " << x;
}

TEST(level, is_in_what_the_model_says_and_not_in_what_divisions_compare) {
  chance random(5);
  const auto model = make_estimator("weir", unknown_degree);
  for (int i = 0; i < 500; ++i) model->observe(seen(1, 1 + i % 2, constant(1, 1 + i % 2) * reasons[1].factor(random)));
  const prediction all = model->predict(1, 2);
  const description said = model->describe();
  double sequential = 0;
  for (const double c : said.coefficients) sequential += c;
  EXPECT_NEAR(sequential, model->predict(1, 1).sequential, 1e-12);
  EXPECT_NEAR(said.scatter, all.spread / all.mean, 0.05);
  EXPECT_NEAR(said.p99 * all.mean, model->quantile(0.99, 1, 2), 1e-9);
  // One in ten makes two thirds of the mean, and the law and the median have none of it.
  EXPECT_NEAR(model->quantile(0.5, 1, 2) / all.mean, 1 / 2.9, 0.1);
  const auto fitted = model->clone();
  const std::vector<typical_input> inputs{{1, 1}};
  const double by_law = model->mean(1, 2);
  EXPECT_NEAR(by_law / all.mean, 1 / 2.9, 0.1);
  EXPECT_DOUBLE_EQ(fitted->mean(1, 2), by_law);
  EXPECT_NEAR(model->moments(inputs, 2).mean, by_law, 1e-12 * by_law);
  EXPECT_NEAR(fitted->moments(inputs, 2).mean, by_law, 1e-12 * by_law);
  EXPECT_NEAR(fitted->mean_of(*fitted->sums_over(inputs), 2), by_law, 1e-12 * by_law);
  // Times of one x and p scatter as observed, so predictions on other cores keep their ratio.
  EXPECT_NEAR(model->predict(1, 1).mean / all.mean, model->mean(1, 1) / by_law, 1e-12);
}

TEST(level, is_saved) {
  chance random(7);
  const auto model = make_estimator("weir", unknown_degree), restored = make_estimator("weir", unknown_degree);
  const auto learn = [&](estimator& by, int from, int to) {
    for (int i = from; i < to; ++i) {
      chance each(static_cast<unsigned>(i));
      by.observe(seen(1, 1 + i % 4, constant(1, 1 + i % 4) * reasons[0].factor(each)));
    }
  };
  learn(*model, 0, 123);
  ASSERT_TRUE(restored->restore(model->state()));
  EXPECT_EQ(model->predict(1, 3).mean, restored->predict(1, 3).mean);
  learn(*model, 123, 200);
  learn(*restored, 123, 200);
  EXPECT_EQ(model->predict(1, 3).mean, restored->predict(1, 3).mean);
  EXPECT_EQ(model->state(), restored->state());
}

}  // namespace
}  // namespace weir::test
