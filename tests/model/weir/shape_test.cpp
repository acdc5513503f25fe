#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include <weir/model/named/estimators.hpp>
#include "model/weir/weir_estimator.hpp"
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

using cost = std::function<double(double x, int cores)>;

void learn(estimator& model, const cost& truth, int count, double noise, unsigned seed = 1) {
  chance random(seed);
  for (int i = 0; i < count; ++i) {
    const double x = random.uniform(50, 2500);
    const int p = random.cores();
    model.observe(seen(x, p, truth(x, p) * random.noise(noise)));
  }
}

// The largest relative error inside what was learnt.
double worst(const estimator& model, const cost& truth) {
  double out = 0;
  for (const double x : {100.0, 400.0, 1000.0, 2500.0})
    for (const int p : {1, 4, 32}) out = std::max(out, relative_error(model.predict(x, p).mean, truth(x, p)));
  return out;
}

cost amdahl(std::function<double(double)> sequential) {
  return [=](double x, int p) { return sequential(x) * (0.95 / p + 0.05); };
}

TEST(shape, without_a_degree_polynomials_are_learnt_as_with_one) {
  for (const auto& coefficients : {std::vector<double>{0.25}, {1e-3, 2e-4}, {2e-2, 1e-4, 1e-6, 1e-9}}) {
    const truth cubic{0.95, coefficients};
    const auto any = make_estimator("weir", unknown_degree), three = make_estimator("weir", degree{3});
    learn(*any, cubic, 100, 0), learn(*three, cubic, 100, 0);
    EXPECT_LT(worst(*any, cubic), 1e-6) << coefficients.size();
    const auto noisy_any = make_estimator("weir", unknown_degree), noisy_three = make_estimator("weir", degree{3});
    learn(*noisy_any, cubic, 200, 0.05), learn(*noisy_three, cubic, 200, 0.05);
    for (const double x : {60.0, 900.0, 2500.0, 5000.0})
      EXPECT_LT(relative_error(noisy_any->predict(x, 7).mean, noisy_three->predict(x, 7).mean), 1e-6) << x;
    EXPECT_TRUE(noisy_any->describe().powers.empty());
  }
}

TEST(shape, without_a_degree_other_powers_and_logarithms_are_learnt) {
  const std::vector<std::function<double(double)>> curves{
      [](double x) { return std::sqrt(x); }, [](double x) { return std::pow(x, 1.585); },
      [](double x) { return x * std::log2(x); }, [](double x) { return x * x * x * x; }};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto model = make_estimator("weir", unknown_degree);
    learn(*model, amdahl(curves[i]), 300, 0.05);
    EXPECT_LT(worst(*model, amdahl(curves[i])), 0.05) << i;
    EXPECT_FALSE(model->describe().powers.empty()) << i;
  }
}

TEST(shape, a_serial_part_may_be_a_curve_of_its_own) {
  const cost truth = [](double x, int p) { return 1e-4 * x + 1e-9 * x * x * x / p; };
  for (const degree k : {degree{3}, unknown_degree}) {
    const auto model = make_estimator("weir", k);
    learn(*model, truth, 100, 0);
    EXPECT_LT(worst(*model, truth), 1e-6);
    const prediction small = model->predict(100, 4), large = model->predict(2500, 4);
    EXPECT_NEAR(small.alpha, 1e-9 * 1e6 / (1e-4 * 100 + 1e-9 * 1e6), 1e-4);
    EXPECT_NEAR(model->describe().alpha, large.alpha, 0.01);
    EXPECT_NE(model->describe().words.find("serial part"), std::string::npos) << model->describe().words;

    const auto noisy = make_estimator("weir", k);
    learn(*noisy, truth, 200, 0.05);
    EXPECT_LT(worst(*noisy, truth), 0.06);
  }
}

// Two curves are chosen only where they explain the times much better than one share does.
TEST(shape, one_share_remains_one_share) {
  int two = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto model = make_estimator("weir", unknown_degree);
    learn(*model, truth{0.95, {1e-3, 1e-5, 0, 1e-9}}, 100, 0.05, seed);
    two += !model->describe().serial.empty();
  }
  EXPECT_LE(two, 2);
}

TEST(shape, its_sums_over_inputs_tell_the_same_as_predictions) {
  const auto model = make_estimator("weir", unknown_degree);
  learn(
      *model, [](double x, int p) { return 1e-4 * x + 1e-9 * x * x * x / p; }, 200, 0.05);
  const std::vector<typical_input> inputs{{100, 0.25}, {700, 0.5}, {4000, 0.25}};
  const auto fitted = model->clone();
  const auto sums = fitted->sums_over(inputs);
  ASSERT_TRUE(sums);
  for (const int p : {1, 3, 48}) {
    const double each = fitted->estimator::moments(inputs, p).mean;
    EXPECT_NEAR(fitted->moments(inputs, p).mean, each, 1e-12 * each);
    EXPECT_NEAR(fitted->mean_of(*sums, p), each, 1e-12 * each);
  }
}

TEST(shape, its_state_comes_back_to_the_bit_and_fits_no_degree) {
  for (const bool curves : {false, true}) {
    const cost truth = [=](double x, int p) { return (curves ? 1e-4 : 1e-9) * x + 1e-7 * std::pow(x, 2.5) / p; };
    const auto original = make_estimator("weir", unknown_degree), restored = make_estimator("weir", unknown_degree);
    learn(*original, truth, 150, 0.05);
    ASSERT_TRUE(restored->restore(original->state()));
    learn(*original, truth, 150, 0.05, 2), learn(*restored, truth, 150, 0.05, 2);
    EXPECT_EQ(original->state(), restored->state());
    EXPECT_EQ(original->describe().words, restored->describe().words);
    EXPECT_FALSE(make_estimator("weir", degree{8})->restore(original->state()));
    EXPECT_FALSE(restored->restore(make_estimator("weir", degree{8})->state()));
  }
}

// The first format had 13 numbers, one curve, no tables of repeats, no sketch of ratios, and else the same.
TEST(shape, a_state_of_the_first_format_is_read) {
  const auto original = make_estimator("weir", degree{3}), restored = make_estimator("weir", degree{3});
  learn(*original, truth{0.95, {1e-3, 0, 0, 1e-9}}, 100, 0.05);
  std::vector<double> former = original->state();
  former[0] = 6;
  const auto tables = former.begin() + 15 + 18 + drift::size + x_correction::size;
  const auto sketch = tables + 2 * repeats::size + p_correction::size;
  former.erase(sketch, sketch + ratio_sketch::size);
  former.erase(tables, tables + 2 * repeats::size);
  former.erase(former.begin() + 15 + 9, former.begin() + 15 + 18);
  former.erase(former.begin() + 13, former.begin() + 15);
  ASSERT_TRUE(restored->restore(former));
  for (const double x : {50.0, 2500.0}) EXPECT_EQ(restored->predict(x, 4).mean, original->predict(x, 4).mean);
}

}  // namespace
}  // namespace weir::test
