#include "scheduler/devices/implementation_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include <weir/model/named/estimators.hpp>

namespace weir {
namespace {

implementation_model fresh(int power) { return implementation_model(make_estimator("weir", degree{power})); }

// Emulated curves: cores take c x^k, a device takes a constant and d x^k. As a run does, cores see inputs below the
// crossing and the device those above it, and one in 32 the other way round.
TEST(an_implementation, s_crossing_point_is_within_5_percent_of_the_curves) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> scatter(0, 0.05);
  for (const int k : {1, 2, 3})
    for (const double crossing : {30.0, 100.0, 300.0}) {
      const double c = 1e-3 / std::pow(100, k), d = c / 10, start = (c - d) * std::pow(crossing, k);
      implementation_model cores = fresh(k), device = fresh(k);
      std::uniform_real_distribution<double> exponent(std::log(10), std::log(1000));
      for (int i = 0; i < 2000; ++i) {
        const double x = std::exp(exponent(random)), noise = std::exp(scatter(random));
        if ((x < crossing) != (i % 32 == 0))
          cores.observe(x, 1, 1, c * std::pow(x, k) * noise);
        else
          device.observe(x, 1, 1, (start + d * std::pow(x, k)) * noise);
      }
      EXPECT_NEAR(crossing_point(cores, 1, device) / crossing, 1, 0.05) << "degree " << k << ", crossing " << crossing;
    }
}

// Without an observation on both sides, and where one is always faster, there is none.
TEST(an_implementation, s_crossing_point_is_unknown_where_there_is_none) {
  implementation_model cores = fresh(1), device = fresh(1);
  EXPECT_TRUE(std::isnan(crossing_point(cores, 1, device)));
  for (int x = 1; x <= 50; ++x) {
    cores.observe(x, 1, 1, 1e-3 * x);
    device.observe(x, 1, 1, 1e-4 * x);
  }
  EXPECT_TRUE(std::isnan(crossing_point(cores, 1, device)));
}

// Two slots in use take 1.5 times as long: each number of slots is expected to take its own observed time.
TEST(an_implementation, expects_longer_times_the_more_slots_are_in_use) {
  implementation_model device = fresh(1);
  for (int i = 0; i < 400; ++i) {
    const double x = 10 + i % 50;
    const int in_use = 1 + i % 2;
    device.observe(x, 1, in_use, (1e-3 + 1e-4 * x) * (in_use == 1 ? 1 : 1.5));
  }
  EXPECT_NEAR(device.expected(30, 1, 1), 4e-3, 4e-4);
  EXPECT_NEAR(device.expected(30, 1, 2), 6e-3, 6e-4);
}

TEST(an_implementation, expects_nothing_before_it_has_seen_some) {
  implementation_model cores = fresh(1);
  for (std::uint64_t i = 0; i + 1 < implementation_model::least_seen; ++i) cores.observe(1, 1, 1, 1e-3);
  EXPECT_EQ(cores.expected(1, 1, 1), 0);
  cores.observe(1, 1, 1, 1e-3);
  EXPECT_GT(cores.expected(1, 1, 1), 0);
}

}  // namespace
}  // namespace weir
