#include "scheduler/expect/blocking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <weir/scheduler/policies/adaptive.hpp>
#include "tests/scheduler/divide/every_division.hpp"
#include "tests/scheduler/views.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using namespace testing;

// The same components, with times of the given variation.
system_view varying(system_view view, double spread) {
  for (component_view& c : view.components) {
    const std::shared_ptr<const estimator> known = c.model;
    c.model = std::make_shared<testing::known_truth>([known](double x, int p) { return known->predict(x, p).mean; },
                                                     true, 1 << 20, spread);
  }
  return view;
}

core_counts own(std::vector<int> cores) {
  core_counts counts;
  for (int c : cores) counts.components.push_back({c, 1});
  return counts;
}

double cost(const system_view& view, const core_counts& counts) {
  std::vector<component_times> times = times_of(view);
  return cost_with_blocking(counts, times);
}

core_counts balanced(const system_view& view, const core_counts& counts) {
  std::vector<component_times> times = times_of(view);
  std::vector<cost_curve> curves = curves_of(view, times, {});
  return weir::balanced(view, counts, curves);
}

TEST(blocking, costs_nothing_where_times_do_not_vary) {
  const system_view view = view_of(8, {component("a", amdahl(1, .9), 1), component("b", amdahl(3, .9), 1)});
  EXPECT_EQ(cost(view, own({2, 6})), expected_times(view, place(own({2, 6}), view)).bottleneck);
  EXPECT_EQ(balanced(view, own({4, 4})), own({4, 4}));
}

// Two equal stations: 2^(1/k) with k = 3 / C^2.
TEST(blocking, of_equal_stations_grows_with_their_number_and_their_variation) {
  for (const double spread : {0.2, 0.5, 1.0}) {
    double last = 1;
    for (int n : {2, 3, 6}) {
      std::vector<component_view> stations;
      for (int i = 0; i < n; ++i) stations.push_back(component(testing::numbered("s", i), table({1}), 1));
      const system_view view = varying(view_of(n, stations), spread);
      const double k = std::max(1.0, 3 / (spread * spread));
      EXPECT_NEAR(cost(view, own(std::vector<int>(static_cast<std::size_t>(n), 1))), std::pow(n, 1 / k), 1e-9);
      EXPECT_GT(std::pow(n, 1 / k), last);
      last = std::pow(n, 1 / k);
    }
  }
}

// Stations that no record reaches neither block nor make the others look steadier.
TEST(blocking, is_of_those_that_records_reach) {
  system_view view = varying(view_of(4, {component("a", table({1}), 1), component("b", table({1}), 1)}), 0.5);
  const double two = cost(view, own({1, 1}));
  view.components.push_back(component("c", table({1}), 1));
  view.components.back().visits = 0;
  EXPECT_EQ(cost(view, own({1, 1, 1})), two);
}

// A small bottleneck of many cores may take a little longer, so that an equally slow neighbour becomes much faster.
TEST(blocking, makes_room_for_a_neighbour_that_is_as_slow) {
  const system_view view =
      varying(view_of(31, {component("large", amdahl(29, 1), 1), component("small", amdahl(2, 1), 1)}), 0.4);
  ASSERT_EQ(throughput_counts(view, {.blocking = false}), own({29, 2}));
  EXPECT_EQ(throughput_counts(view), own({28, 3}));
}

// Balanced counts cost no more than before and keep to the boxes' bounds and the available cores. They nearly always
// come within a twentieth of the best division.
TEST(blocking, balanced_counts_cost_no_more_and_nearly_the_least) {
  std::mt19937 random(31);
  std::uniform_real_distribution<> spread(0.1, 1);
  testing::excess over;
  const int trials = testing::fewer(800);
  int done = 0;
  while (done < trials) {
    const system_view view = varying(testing::random_view(random, 6, true), spread(random));
    if (view.components.size() > 4 || !testing::can_own(view)) continue;
    ++done;
    const core_counts before = throughput_counts(view, {.blocking = false});
    const core_counts after = throughput_counts(view);
    ASSERT_LE(cost(view, after), cost(view, before) * (1 + 1e-9));
    ASSERT_EQ(check(place(after, view), view.cores), "");
    for (std::size_t i = 0; i < after.components.size(); ++i) {
      const component_view& c = view.components[i];
      const int cores = after.components[i].cores;
      ASSERT_TRUE(cores == 0 ? c.min_cores < 2 : cores >= c.min_cores && cores <= c.max_cores);
    }
    double best = INFINITY;
    testing::every_division(view, true, [&](const core_counts& counts) { best = std::min(best, cost(view, counts)); });
    over.add(cost(view, after) / best - 1, trials);
  }
  EXPECT_LT(over.mean, 0.01);
  EXPECT_LE(over.over, trials / 20);
}

}  // namespace
}  // namespace weir
