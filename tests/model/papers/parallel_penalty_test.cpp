#include "model/papers/parallel_penalty.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <weir/model/named/estimators.hpp>
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

using law = std::function<double(double n, double p)>;

std::unique_ptr<estimator> trained(const std::string& name, int k, const law& cost, const std::vector<int>& cores) {
  auto model = make_estimator(name, degree{k});
  for (double n = 10; n <= 200; n += 10)
    for (const int p : cores) model->observe(seen(n, p, cost(n, p)));
  return model;
}

void expect_law(const estimator& model, const law& cost, const std::vector<int>& cores) {
  for (const int p : cores)
    for (const double n : {15.0, 40.0, 133.0, 200.0, 260.0})
      EXPECT_LT(relative_error(model.predict(n, p).mean, cost(n, p)), 1e-8) << "n " << n << ", p " << p;
}

double quadratic(double n) { return 0.5 + 0.01 * n + 2e-4 * n * n; }

// The planted loss: nothing on one core, and linear in 1/p as between known p.
double lost(double n, double p) { return (0.02 + 1e-3 * n) * (1 - 1 / p); }

const std::vector<int> some_cores{1, 2, 4, 8, 16}, any_cores{1, 2, 3, 7, 16, 48};

TEST(parallel_penalty, a_map_is_recovered_at_any_n_and_p) {
  const law cost = [](double n, double p) { return quadratic(n) / p + lost(n, p); };
  for (const char* name : {"parallel-penalty:lm", "parallel-penalty:poly"})
    expect_law(*trained(name, 2, cost, some_cores), cost, any_cores);
}

TEST(parallel_penalty, a_farm_is_recovered_at_any_n_and_p) {
  const law cost = [](double n, double p) { return quadratic(n / p) + lost(n, p); };
  expect_law(*trained("parallel-penalty:farm:lm", 2, cost, some_cores), cost, any_cores);
}

TEST(parallel_penalty, an_iteration_is_recovered_at_any_number_of_rounds_and_p) {
  const law cost = [](double rounds, double p) { return rounds * (0.03 / p + 0.002 * (1 - 1 / p)); };
  const auto model = trained("parallel-penalty:iteration", 1, cost, some_cores);
  expect_law(*model, cost, any_cores);
  EXPECT_LT(relative_error(model->predict(5000, 8).mean, cost(5000, 8)), 1e-8);
  EXPECT_NEAR(model->describe().coefficients[1], 0.03, 1e-9);
}

TEST(parallel_penalty, divide_and_conquer_is_recovered_at_any_n_and_p) {
  const auto halves = [](double n, double p, double k) { return n / std::exp2(std::log(p) / std::log(k)); };
  for (const int k : {2, 3, 8}) {
    const law cost = [&](double n, double p) { return quadratic(halves(n, p, k)) + lost(n, p); };
    const std::string name = "parallel-penalty:divide-and-conquer:lm:branching-" + std::to_string(k);
    expect_law(*trained(name, 2, cost, some_cores), cost, any_cores);
  }
}

TEST(parallel_penalty, karatsuba_at_three_cores_has_three_leaves_of_half_the_size) {
  const skeleton karatsuba{skeleton::form::divide_and_conquer, 3};
  EXPECT_DOUBLE_EQ(karatsuba.leaf(64, 3), 32);
  EXPECT_NEAR(karatsuba.leaf(64, 27), 8, 1e-12);
  const auto time = [](double n) { return std::pow(n, std::log2(3)); };
  for (const double p : {3.0, 8.0, 48.0}) EXPECT_NEAR(time(karatsuba.leaf(64, p)), time(64) / p, 1e-9);
}

TEST(parallel_penalty, the_wrong_skeleton_is_worse_than_the_right_one) {
  const law cost = [](double n, double p) { return quadratic(n / p) + lost(n, p); };
  const double map = trained("parallel-penalty:lm", 2, cost, {1, 2, 4, 8})->predict(150, 32).mean;
  const double farm = trained("parallel-penalty:lm:farm", 2, cost, {1, 2, 4, 8})->predict(150, 32).mean;
  EXPECT_GT(relative_error(map, cost(150, 32)), 10 * relative_error(farm, cost(150, 32)));
}

TEST(parallel_penalty, over_p_a_penalty_that_is_a_polynomial_in_p_is_recovered_at_any_n_and_p) {
  const law cost = [](double n, double p) { return quadratic(n) / p + 1e-3 * n * (p - 1); };
  const auto model = trained("parallel-penalty:p:lm", 2, cost, some_cores);
  for (const int p : any_cores)
    for (const double n : {10.0, 15.0, 133.0, 200.0})
      EXPECT_LT(relative_error(model->predict(n, p).mean, cost(n, p)), 1e-8) << "n " << n << ", p " << p;
}

TEST(parallel_penalty, over_p_and_over_n_both_follow_amdahls_law_from_one_p) {
  const truth cost{0.9, {0, 0.01}};
  for (const char* name : {"parallel-penalty:n", "parallel-penalty:p", "parallel-penalty:spline"}) {
    const auto model = trained(name, 1, cost, {1, 4});
    for (const int p : any_cores)
      EXPECT_LT(relative_error(model->predict(100, p).mean, cost(100, p)), 1e-8) << name << ", p " << p;
  }
}

TEST(parallel_penalty, every_curve_follows_what_no_polynomial_does) {
  const law cost = [](double n, double p) {
    return (1 + 0.01 * n + (n > 100 ? 0.02 * (n - 100) : 0)) / p + lost(n, p);
  };
  const auto error = [&](const std::string& name) {
    const auto model = trained(name, 1, cost, some_cores);
    double sum = 0;
    for (double n = 15; n < 200; n += 10) sum += relative_error(model->predict(n, 4).mean, cost(n, 4)) / 19;
    return sum;
  };
  const double line = error("parallel-penalty:lm");
  for (const char* name : {"parallel-penalty:spline", "parallel-penalty:loess", "parallel-penalty"})
    EXPECT_LT(error(name), line / 3) << name;
}

TEST(parallel_penalty, alpha_is_one_less_the_serial_fraction_at_the_highest_point) {
  const auto model = make_estimator("parallel-penalty", degree{1});
  for (const auto& one : {seen(1, 1, 1), seen(2, 1, 2), seen(1, 4, 0.9), seen(2, 4, 0.8), seen(2, 2, 1.9)})
    model->observe(one);
  const double serial = (0.8 / 2 - 0.25) / (1 - 0.25);
  EXPECT_DOUBLE_EQ(model->describe().alpha, 1 - serial);
  EXPECT_DOUBLE_EQ(model->predict(1, 2).alpha, 1 - serial);
  EXPECT_TRUE(model->describe().alpha_known);
}

TEST(parallel_penalty, a_negative_prediction_is_none) {
  const auto model = make_estimator("parallel-penalty:lm", degree{1});
  for (const auto& one : {seen(10, 1, 1), seen(20, 1, 11), seen(30, 1, 21)}) model->observe(one);
  EXPECT_EQ(model->predict(1, 1).mean, 0);
  EXPECT_EQ(model->predict(1, 4).mean, 0);
}

TEST(parallel_penalty, with_one_core_seen_alpha_is_the_optimistic_prior) {
  const auto model = make_estimator("parallel-penalty", degree{1});
  for (double n = 1; n < 10; ++n) model->observe(seen(n, 1, n));
  EXPECT_FALSE(model->describe().alpha_known);
  EXPECT_NEAR(model->predict(4, 8).mean, 4 * (0.98 / 8 + 0.02), 1e-9);
}

TEST(parallel_penalty, a_clone_that_knows_its_curves_answers_as_its_original) {
  chance random(1);
  const truth cost{0.9, {1e-3, 0, 1e-7}};
  for (const char* name : {"parallel-penalty", "parallel-penalty:p", "parallel-penalty:iteration"}) {
    const auto model = make_estimator(name, degree{2});
    for (int i = 0; i < 80; ++i) {
      const double x = random.x();
      const int p = random.cores();
      model->observe(seen(x, p, cost(x, p) * random.noise(0.05)));
    }
    const auto copy = model->clone();
    for (const double x : {10.0, 300.0, 2000.0})
      for (const int p : {1, 3, 8, 64}) {
        EXPECT_EQ(model->predict(x, p).mean, copy->predict(x, p).mean);
        EXPECT_EQ(model->predict(x, p).spread, copy->predict(x, p).spread);
      }
  }
}

// T(n) and A are predicted separately. So the relative error of the sum is the mean of their signed errors, weighted by
// their parts: e = (T(n)/p e_T + A e_A) / T(n,p). If A > 0, it is no larger than the larger of the two.
TEST(parallel_penalty, the_errors_of_t_and_of_a_combine) {
  chance random(7);
  const auto time = [](double n) { return 2e-3 * n + 1e-6 * n * n * n; };
  const auto penalty = [](double n, int p) { return 1e-3 * n * std::log2(p); };
  point_table table;
  for (double n = 20; n <= 400; n += 20)
    for (const int p : {1, 2, 4, 8}) table.add(seen(n, p, (time(n) / p + penalty(n, p)) * random.noise(0.05)));
  int larger = 0;
  for (const auto kind : {curve_kind::best_two, curve_kind::spline, curve_kind::loess, curve_kind::lm}) {
    const penalty_model model(table, {.over_cores = false, .curve = kind, .form = {}, .degree = 3});
    for (const double n : {110.0, 190.0, 250.0, 390.0})
      for (const int p : {2, 4, 8}) {
        const double whole = time(n) / p + penalty(n, p);
        const double of_time = model.sequential(n) / time(n) - 1;
        const double of_penalty = model.penalty(n, p).value / penalty(n, p) - 1;
        const double of_whole = model.time(n, p).value / whole - 1;
        ASSERT_GT(of_whole, -1);  // not clamped
        EXPECT_NEAR(of_whole, (time(n) / p * of_time + penalty(n, p) * of_penalty) / whole, 1e-12);
        EXPECT_LE(std::abs(of_whole), std::max(std::abs(of_time), std::abs(of_penalty)) + 1e-12);
        larger += std::abs(of_penalty) > std::abs(of_time);
      }
  }
  EXPECT_GT(larger, 24);  // of 48: the penalty, a difference of times, is harder to predict
}

}  // namespace
}  // namespace weir::test
