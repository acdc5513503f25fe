#include "scheduler/expect/visits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

TEST(visits, a_chain_multiplies_its_gains) {
  EXPECT_EQ(visits_of({1, 0, 0}, {3, .5, 1}, {{0, 1, 1}, {1, 2, 1}}), (std::vector<double>{1, 3, 1.5}));
}

TEST(visits, a_choice_divides_and_a_fan_out_copies) {
  EXPECT_EQ(visits_of({1, 0, 0, 0}, {1, 1, 1, 1}, {{0, 1, .25}, {0, 2, .75}, {1, 3, 1}, {2, 3, 1}}),
            (std::vector<double>{1, .25, .75, 1}));
  EXPECT_EQ(visits_of({1, 0, 0, 0}, {2, 1, 1, 1}, {{0, 1, .5}, {0, 2, .5}, {1, 3, 1}, {2, 3, 1}}),
            (std::vector<double>{1, 1, 1, 2}));
}

TEST(visits, a_loop_that_returns_a_part_is_visited_as_often_as_the_geometric_series_says) {
  const std::vector<double> star = visits_of({1, 0}, {1, 1}, {{0, 0, .75}, {0, 1, .25}});
  EXPECT_NEAR(star[0], 4, 1e-12);
  EXPECT_NEAR(star[1], 1, 1e-12);
}

TEST(visits, a_loop_that_returns_all_or_more_is_refused_with_its_components) {
  EXPECT_EQ(testing::refusal([] {
              visits_of({1, 0}, {1, 1}, {{0, 1, 1}, {1, 0, 1}});
            }).substr(0, 79),
            "visits_of: a loop returns as many records as it takes, or more: no finite numbe");
  EXPECT_NE(testing::refusal([] { visits_of({1}, {3}, {{0, 0, .5}}); }), testing::nothing_refused);
  // No record reaches this component.
  EXPECT_EQ(visits_of({1, 0}, {1, 2}, {{1, 1, 1}}), (std::vector<double>{1, 0}));
}

TEST(visits, random_networks_with_loops_agree_with_passing_records_on_until_none_is_left) {
  std::mt19937 random(31);
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  int finite = 0, endless = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const auto n = static_cast<std::size_t>(1 + random() % 6);
    std::vector<double> source(n, 0.0), gain(n);
    source[random() % n] = 1;
    for (double& g : gain) g = real(0, 1.6);
    std::vector<route> routing;
    for (std::size_t i = 0; i < n; ++i)
      for (int k = 0; k < 2; ++k) routing.push_back({static_cast<int>(i), static_cast<int>(random() % n), real(0, .5)});
    std::vector<double> passing = source, sum = source;
    double left = 1;
    for (int pass = 0; pass < 20000 && left > 1e-13 && left < 1e9; ++pass) {
      std::vector<double> next(n, 0.0);
      for (const route& r : routing)
        next[static_cast<std::size_t>(r.to)] +=
            passing[static_cast<std::size_t>(r.from)] * gain[static_cast<std::size_t>(r.from)] * r.part;
      left = 0;
      for (std::size_t i = 0; i < n; ++i) sum[i] += next[i], left += next[i];
      passing = next;
    }
    if (left > 1e-13 && left < 1e9) continue;  // too near to 1 to decide
    if (left >= 1e9) {
      ++endless;
      ASSERT_NE(testing::refusal([&] { visits_of(source, gain, routing); }), testing::nothing_refused) << trial;
      continue;
    }
    ++finite;
    const std::vector<double> found = visits_of(source, gain, routing);
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(found[i], sum[i], 1e-9 * std::max(1.0, sum[i])) << trial;
  }
  EXPECT_GT(finite, 500);
  EXPECT_GT(endless, 20);
}

TEST(visits, what_is_no_network_is_named) {
  EXPECT_EQ(testing::refusal([] { visits_of({1}, {}, {}); }), "visits_of: 1 components have a source and 0 a gain");
  EXPECT_EQ(testing::refusal([] { visits_of({1}, {-1}, {}); }),
            "visits_of: the gain of component 0 is -1; it must be finite and 0 or more");
  EXPECT_EQ(testing::refusal([] {
              visits_of({1}, {1}, {{0, 1, 1}});
            }),
            "visits_of: a route leads from 0 to 1 and there are 1 components");
}

}  // namespace
}  // namespace weir
