#include "model/weir/noise_floor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <weir/model/named/estimators.hpp>
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

// Times over four decades around the expected ones, with both kinds of noise.
noise_floor learnt(double relative, double even, unsigned seed) {
  chance random(seed);
  noise_floor noise;
  for (int i = 0; i < 400; ++i) {
    const double expected = std::pow(10, random.uniform(-4, 0));
    noise.add(expected, std::max(expected * random.noise(relative) + even * random.normal(), 1e-6));
  }
  return noise;
}

TEST(noise_floor, is_none_where_noise_is_relative) {
  for (const double relative : {0.001, 0.05, 0.3})
    for (unsigned seed = 0; seed < 50; ++seed) EXPECT_EQ(learnt(relative, 0, seed).time(), 0) << relative;
}

TEST(noise_floor, lies_where_even_noise_is_as_much_as_relative_noise) {
  int near = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    const double time = learnt(0.05, 1e-3, seed).time();  // 5 % of 20 ms are 1 ms; the middle of all times is 10 ms
    near += time > 4e-3 && time < 40e-3;
  }
  EXPECT_GE(near, 40);  // of 50; some are lost because relative noise gets the benefit of the doubt
}

TEST(noise_floor, knows_how_large_even_noise_is) {
  for (unsigned seed = 0; seed < 20; ++seed)
    EXPECT_NEAR(std::log2(learnt(0.02, 2e-3, seed).deviation() / 2e-3), 0, 1.2);
}

TEST(noise_floor, of_a_few_observations_is_not_known) {
  noise_floor noise;
  for (int i = 0; i < 20; ++i) noise.add(i % 2 == 0 ? 1e-4 : 1, i % 2 == 0 ? 5e-3 : 1);
  EXPECT_EQ(noise.time(), 0);
}

// The weights of short times in a fit: with 5 ms of noise on each time, times near 10 us carry no information.
TEST(noise_floor, keeps_long_times_right_where_every_time_has_the_same_noise) {
  const truth cost{.alpha = 0.98, .coefficients = {1e-6, 0, 0, 1e-9}};
  chance random(1);
  const auto model = make_estimator("weir", degree{3});
  for (int i = 0; i < 1000; ++i) {
    const double x = random.uniform(50, 2500);
    const int p = random.cores();
    model->observe(seen(x, p, std::max(cost(x, p) + 5e-3 * random.normal(), 1e-6)));
  }
  for (const double x : {1000.0, 2000.0, 2500.0})
    for (const int p : {1, 8, 32}) EXPECT_LT(relative_error(model->predict(x, p).mean, cost(x, p)), 0.03) << x;
}

}  // namespace
}  // namespace weir::test
