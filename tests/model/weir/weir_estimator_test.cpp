#include "model/weir/weir_estimator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

// The change of the times after the first hundred: none, a level, another shape, or noise that does not shrink.
struct story {
  const char* name;
  std::function<double(const truth&, double x, int cores, int step, chance&)> seconds;
};

const story stories[] = {
    {"steady", [](const truth& t, double x, int p, int, chance& r) { return t(x, p) * r.noise(0.05); }},
    {"level",
     [](const truth& t, double x, int p, int i, chance& r) { return t(x, p) * r.noise(0.05) * (i < 100 ? 1 : 3); }},
    {"shape", [](const truth& t, double x, int p, int i,
                 chance& r) { return (i < 100 ? t(x, p) : 2 * t(1024 - x, 1)) * r.noise(0.05); }},
    {"even noise",
     [](const truth& t, double x, int p, int, chance& r) { return std::max(t(x, p) + 0.05 * r.normal(), 1e-6); }},
};

void feed(estimator& model, const story& of, int from, int to, double x_scale) {
  for (int i = from; i < to; ++i) {
    chance random(static_cast<unsigned>(i));
    const truth cost{0.9, {1e-3, 0, 0, 1e-9}};
    const double x = random.x();
    const int p = random.cores();
    model.observe(seen(x * x_scale, p, of.seconds(cost, x, p, i, random)));
  }
}

// 0.1 is not a binary number, and 1e40 is beyond single precision: the saved state must not round them.
TEST(weir_estimator, goes_on_from_its_state_to_the_bit_whatever_happened_before) {
  for (const story& s : stories)
    for (const double x_scale : {1.0, 0.1, 1e40}) {
      for (const int saved_at : {99, 103, 106, 110, 140, 300}) {
        SCOPED_TRACE(::testing::Message() << s.name << ", x times " << x_scale << ", saved after " << saved_at);
        weir_estimator original(degree{3}), restored(degree{3});
        feed(original, s, 0, saved_at, x_scale);
        ASSERT_TRUE(restored.restore(original.state()));
        feed(original, s, saved_at, 400, x_scale);
        feed(restored, s, saved_at, 400, x_scale);
        EXPECT_EQ(original.state(), restored.state());
      }
    }
}

TEST(weir_estimator, sums_over_inputs_tell_the_same_as_a_prediction_for_each) {
  for (const story& of : stories) {
    weir_estimator model(degree{3});
    feed(model, of, 0, 150, 1);
    std::vector<typical_input> inputs;
    for (int count : {1, 5, 8, 11}) {
      inputs.clear();  // within the range seen, and far outside
      for (int i = 0; i < count; ++i) inputs.push_back({2.0 + 400.0 * i, 1.0 / count});
      const auto fitted = model.clone();
      const std::optional<input_sums> sums = fitted->sums_over(inputs);
      ASSERT_TRUE(sums) << of.name;
      for (int p : {1, 2, 7, 48, 1000}) {
        const time_moments each = fitted->estimator::moments(inputs, p), together = fitted->moments(inputs, p);
        EXPECT_NEAR(together.mean, each.mean, 1e-12 * each.mean) << of.name << ", p " << p;
        EXPECT_NEAR(together.square, each.square, 1e-12 * each.square) << of.name << ", p " << p;
        EXPECT_NEAR(fitted->mean_of(*sums, p), each.mean, 1e-12 * each.mean) << of.name << ", p " << p;
      }
    }
  }
  weir_estimator none(degree{1});
  EXPECT_FALSE(none.sums_over(std::vector<typical_input>{{1, 1}}));
  EXPECT_TRUE(std::isnan(none.moments(std::vector<typical_input>{{1, 1}}, 1).mean));
}

TEST(weir_estimator, counts_every_observation_once_whatever_it_forgets) {
  for (const story& s : stories) {
    weir_estimator model(degree{3});
    for (int i = 0; i < 400; ++i) {
      feed(model, s, i, i + 1, 1);
      ASSERT_EQ(model.describe().observations, static_cast<std::uint64_t>(i + 1)) << s.name;
    }
  }
}

TEST(weir_estimator, finds_even_noise_without_looking_for_changes) {
  weir_parts parts;
  parts.drift = false;
  weir_estimator model(degree{3}, parts);
  const truth cost{.alpha = 0.98, .coefficients = {1e-6, 0, 0, 1e-9}};
  chance random(1);
  for (int i = 0; i < 1000; ++i) {
    const double x = random.uniform(50, 2500);
    const int p = random.cores();
    model.observe(seen(x, p, std::max(cost(x, p) + 5e-3 * random.normal(), 1e-6)));
  }
  for (const double x : {1000.0, 2000.0, 2500.0})
    for (const int p : {1, 8, 32}) EXPECT_LT(relative_error(model.predict(x, p).mean, cost(x, p)), 0.03) << x;
}

// Twelve thousand observations whose level alternates every forty, with numbers of cores that occur only once.
TEST(weir_estimator, follows_levels_that_never_stay) {
  weir_estimator model(degree{1});
  const truth cost{0.9, {1e-3, 1e-5}};
  chance random(4);
  std::vector<double> errors;
  for (int phase = 0; phase < 300; ++phase) {
    const double level = phase % 2 == 0 ? 1 : 4;
    for (int i = 0; i < 40; ++i) {
      const double x = random.x();
      const int p = i == 39 ? 10 + phase : 1 + random.index(8);
      model.observe(seen(x, p, level * cost(x, p) * random.noise(0.05)));
      if (i >= 20) errors.push_back(relative_error(model.predict(x, p).mean, level * cost(x, p)));
    }
  }
  std::ranges::sort(errors);
  EXPECT_LT(errors[errors.size() / 2], 0.05);
  EXPECT_LT(errors[errors.size() * 95 / 100], 0.5);
}

// A component gets faster by a sixth in each 25 invocations while its cores change, as with a just-in-time compiler.
// Residuals are off all the time, and other numbers of cores have times of before.
TEST(weir_estimator, follows_times_that_shrink_in_steps_while_cores_change) {
  const auto truth = [](int p) { return 0.2 * (0.97 / p + 0.03); };
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    chance random(seed);
    weir_estimator model(degree{0});
    for (int i = 0; i < 600; ++i) {
      const int p = i < 8 ? 8 : i < 16 ? 7 : i < 58 ? 8 : i < 62 ? 9 : i < 155 ? 10 : i < 200 ? 13 : 12;
      const double factor = 8 * std::pow(8.0, -std::min(i / 25, 12) / 12.0);
      model.observe({.x = 1,
                     .cores = static_cast<std::uint32_t>(p),
                     .seconds = factor * truth(p) * std::exp(0.05 * random.normal())});
    }
    EXPECT_NEAR(model.mean(1, 12) / truth(12), 1, 0.05);
    for (const int p : {8, 10, 16}) EXPECT_NEAR(std::log(model.mean(1, p) / truth(p)), 0, 0.5) << p << " cores";
  }
}

// A law misses such a curve by a sixth, at each number of cores from the first time on. That is no change.
TEST(weir_estimator, keeps_the_times_on_other_cores_of_a_curve_that_no_law_has) {
  const auto truth = [](int p) { return std::ceil(5.0 / p); };
  chance random(1);
  weir_estimator model(degree{0});
  for (const int p : {1, 3, 4, 1, 3, 4})
    for (int i = 0; i < 200; ++i)
      model.observe(
          {.x = 1, .cores = static_cast<std::uint32_t>(p), .seconds = truth(p) * std::exp(0.02 * random.normal())});
  for (const int p : {1, 3, 4}) EXPECT_NEAR(model.mean(1, p) / truth(p), 1, 0.2) << p << " cores";
}

// The law of a new fit has the corrections that belong to it, also between two scheduled fits.
TEST(weir_estimator, predicts_between_scheduled_fits_what_it_observes) {
  chance random(2);
  weir_estimator model(degree{0});
  for (int i = 0; i < 3000; ++i) {
    const int p = i < 40 ? 8 : i < 60 ? 16 : i < 80 ? 4 : 12;
    const double seconds = (p == 16 ? 3 : 1) * (0.9 / p + 0.1) * std::exp(0.03 * random.normal());
    model.observe({.x = 1, .cores = static_cast<std::uint32_t>(p), .seconds = seconds});
    if (i > 120) ASSERT_NEAR(model.mean(1, 12), 0.9 / 12 + 0.1, 0.05 * (0.9 / 12 + 0.1)) << i;
  }
}

}  // namespace
}  // namespace weir::test
