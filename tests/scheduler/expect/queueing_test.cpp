#include "scheduler/expect/queueing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

// The mean wait of jobs that are served in order of arrival, by simulation.
double simulated_wait(double rate, int servers, int jobs, const std::function<double(std::mt19937&)>& service) {
  std::mt19937 random(12);
  std::vector<double> free(static_cast<std::size_t>(servers), 0.0);
  double now = 0, waited = 0;
  for (int i = 0; i < jobs; ++i) {
    now += std::exponential_distribution<>(rate)(random);
    auto next = std::min_element(free.begin(), free.end());
    const double start = std::max(now, *next);
    waited += start - now;
    *next = start + service(random);
  }
  return waited / jobs;
}

const auto constant = [](std::mt19937&) { return 1.0; };
const auto exponential = [](std::mt19937& random) { return std::exponential_distribution<>(1)(random); };

TEST(queueing, the_wait_for_one_server_is_exact) {
  EXPECT_DOUBLE_EQ(waiting_time({.5, 1, 1}, 1), 1);   // M/M/1: rho T/(1 - rho)
  EXPECT_DOUBLE_EQ(waiting_time({.5, 1, 0}, 1), .5);  // M/D/1: half of it
  EXPECT_NEAR(waiting_time({.8, 1, 0}, 1), simulated_wait(.8, 1, 400000, constant), .05 * 2);
  EXPECT_NEAR(waiting_time({.8, 1, 1}, 1), simulated_wait(.8, 1, 400000, exponential), .05 * 4);
}

TEST(queueing, the_wait_for_several_servers_is_within_three_hundredths_of_a_service_or_a_tenth_of_itself) {
  for (int servers : {2, 4, 8})
    for (double rho : {.5, .8}) {
      const double rate = rho * servers;
      const double simulated = simulated_wait(rate, servers, 400000, exponential);
      EXPECT_NEAR(waiting_time({rate, 1, 1}, servers), simulated, std::max(.03, .1 * simulated))
          << servers << ' ' << rho;
    }
}

// The first of a batch waits for the work of those before it. Batches are Poisson, services exponential.
TEST(queueing, the_first_of_a_batch_waits_as_simulated) {
  std::mt19937_64 random(3);
  for (const int servers : {1, 4, 8})
    for (const int batch : {2, 8, 20})
      for (const double load : {.4, .7}) {
        const offered_load of{load * servers, 1, 1, static_cast<double>(batch)};
        std::exponential_distribution<double> gap(of.rate / batch), service(1);
        std::vector<double> free_at(static_cast<std::size_t>(servers), 0.0);
        double now = 0, waited = 0;
        const int batches = 100'000;
        for (int i = 0; i < batches; ++i) {
          now += gap(random);
          for (int j = 0; j < batch; ++j) {
            const auto next = std::min_element(free_at.begin(), free_at.end());
            if (j == 0) waited += std::max(0.0, *next - now);
            *next = std::max(*next, now) + service(random);
          }
        }
        const double simulated = waited / batches, expected = waiting_time(of, servers);
        std::printf("%d servers, batches of %2d, load %.1f: %.3f simulated, %.3f expected\n", servers, batch, load,
                    simulated, expected);
        EXPECT_NEAR(expected, simulated, servers == 1 ? .06 * simulated : .2 * simulated + .03);
      }
}

TEST(queueing, nobody_waits_where_nothing_comes_and_for_ever_where_too_much_does) {
  EXPECT_EQ(waiting_time({0, 1, 1}, 1), 0);
  EXPECT_EQ(waiting_time({1, 0, 0}, 1), 0);
  EXPECT_TRUE(std::isinf(waiting_time({2, 1, 1}, 2)));
}

TEST(queueing, jobs_of_several_kinds_have_the_moments_of_their_mixture) {
  shared_queue both;
  both.add({1, 2, 0});
  both.add({3, 1, 1});
  const offered_load all = both.load();
  EXPECT_DOUBLE_EQ(all.rate, 4);
  EXPECT_DOUBLE_EQ(all.service, 1.25);
  EXPECT_DOUBLE_EQ(all.variation, (1 * 4 + 3 * 2) / 4.0 / (1.25 * 1.25) - 1);
}

// P_K of M/M/1/K by the sum over its states.
double blocking(double rho, std::size_t places) {
  double state = 1, all = 1;
  for (std::size_t k = 1; k <= places; ++k) all += state *= rho;
  return state / all;
}

TEST(queueing, a_capacity_is_the_least_with_which_no_more_than_that_many_jobs_are_turned_away) {
  for (double rho : {.05, .3, .5, .8, .95, .999, 1.0, 1.001, 1.05, 1.5})
    for (double p : {.3, .1, .01, 1e-4}) {
      const std::size_t most = 100000, places = queue_capacity(rho, p, 1, most);
      if (places == most) {
        EXPECT_LE(p, 1 - 1 / rho + 1e-12) << rho << ' ' << p;
        continue;
      }
      EXPECT_LE(blocking(rho, places), p * (1 + 1e-5)) << rho << ' ' << p;
      if (places > 1) {
        EXPECT_GT(blocking(rho, places - 1), p) << rho << ' ' << p;
      }
    }
}

TEST(queueing, a_capacity_is_within_its_bounds_and_bad_arguments_are_named) {
  EXPECT_EQ(queue_capacity(1, .01, 1, 1000), 99u);
  EXPECT_EQ(queue_capacity(1, .01, 1, 50), 50u);
  EXPECT_EQ(queue_capacity(0, .01, 4, 50), 4u);
  EXPECT_EQ(queue_capacity(2, .01, 4, 50), 50u);
  EXPECT_EQ(testing::refusal([] { queue_capacity(.5, 0, 1, 2); }),
            "queue_capacity: the blocking probability is 0; it must be in (0, 1)");
  EXPECT_EQ(testing::refusal([] { queue_capacity(-1, .1, 1, 2); }), "queue_capacity: rho is -1; it must be 0 or more");
  EXPECT_EQ(testing::refusal([] { queue_capacity(.5, .1, 3, 2); }),
            "queue_capacity: the bounds are 3 and 2; 1 <= least <= most");
}

}  // namespace
}  // namespace weir
