#include <weir/scheduler/expect/random_time.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <weir/scheduler/expect/record_paths.hpp>
#include "scheduler/expect/queueing.hpp"
#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

double random_quantile(std::vector<double>& drawn, double part) {
  const auto at = drawn.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(drawn.size()));
  std::nth_element(drawn.begin(), at, drawn.end());
  return *at;
}

TEST(random_time, quantiles_of_exponential_and_constant_times_are_exact) {
  EXPECT_NEAR(service_time(3, 1).quantile(.99), 3 * std::log(100), 1e-9);
  EXPECT_NEAR(service_time(3, 1).quantile(.5), 3 * std::log(2), 1e-9);
  EXPECT_EQ(service_time(3, 0).quantile(.99), 3);
}

TEST(random_time, what_never_ends_has_no_finite_quantile_and_what_is_unknown_none) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ((random_time{infinite, 1, 1}).quantile(.99), infinite);
  EXPECT_TRUE(std::isnan((random_time{std::nan(""), 1, 1}).quantile(.99)));
}

TEST(random_time, independent_times_add_and_mixtures_have_the_moments_of_what_is_drawn) {
  random_time sum = service_time(1, 1);
  sum += service_time(2, .25);
  time_mixture either;
  either.add(.3, sum);
  either.add(.5, service_time(7, 0));
  const random_time mixed = either.result();
  std::mt19937_64 random(1);
  std::exponential_distribution<double> one(1);
  std::gamma_distribution<double> other(4, .5);  // mean 2, squared coefficient of variation 1/4
  const int n = 2'000'000;
  double first = 0, second = 0, third = 0;
  std::vector<double> drawn;
  for (int i = 0; i < n; ++i) {
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    drawn.push_back(u < .3 ? one(random) + other(random) : u < .8 ? 7 : 0);
  }
  for (double x : drawn) first += x / n;
  for (double x : drawn) second += std::pow(x - first, 2) / n, third += std::pow(x - first, 3) / n;
  EXPECT_NEAR(mixed.mean, first, .01);
  EXPECT_NEAR(mixed.variance, second, .02);
  EXPECT_NEAR(mixed.third, third, .2);
}

// The wait in M/M/w and the time in it, drawn from their distribution: zero, or exponential.
TEST(random_time, the_p99_of_a_queue_is_that_of_its_wait_and_service) {
  std::mt19937_64 random(2);
  for (const int servers : {1, 2, 8})
    for (const double load : {.2, .5, .8, .95}) {
      const double mean = waiting_time({load * servers, 1, 1}, servers), busy = busy_probability(load, servers);
      random_time stay = service_time(1, 1);
      stay += wait_time(mean, busy);
      std::vector<double> drawn;
      std::exponential_distribution<double> service(1), wait(busy / mean);
      std::bernoulli_distribution waits(busy);
      for (int i = 0; i < 400'000; ++i) drawn.push_back(service(random) + (waits(random) ? wait(random) : 0));
      const double p99 = random_quantile(drawn, .99);
      EXPECT_NEAR(stay.quantile(.99), p99, .04 * p99) << servers << " servers, load " << load;
    }
}

TEST(random_time, a_record_that_takes_a_slow_way_now_and_then_is_late_as_often) {
  system_view view;
  view.components.resize(3);
  view.components[1].visits = .05;
  view.components[2].visits = .95;
  view.links = {{-1, 0, 1}, {0, 1, .05}, {0, 2, .95}, {1, -1, .05}, {2, -1, .95}};
  const record_paths paths(view);
  const random_time way = paths.moments({service_time(1, 0), service_time(20, 0), service_time(1, 0)}, {0, 0, 0});
  EXPECT_NEAR(way.mean, paths.seconds({1, 20, 1}), 1e-12);
  EXPECT_NEAR(way.variance, .05 * .95 * 19 * 19, 1e-9);
  EXPECT_GT(way.quantile(.99), 15);
  EXPECT_LT(way.quantile(.5), 5);
}

}  // namespace
}  // namespace weir
