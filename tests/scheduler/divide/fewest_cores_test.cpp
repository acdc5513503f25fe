#include "scheduler/divide/fewest_cores.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "scheduler/divide/latency.hpp"
#include "scheduler/expect/demand_cost.hpp"
#include "tests/scheduler/divide/every_division.hpp"
#include "tests/scheduler/views.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using namespace std::chrono_literals;
using namespace testing;

stream_demand demand(double rate, double p99 = std::numeric_limits<double>::infinity()) {
  return {rate, std::chrono::duration<double>(p99)};
}

bool meets(const system_view& view, const core_counts& given, const stream_demand& asked) {
  std::vector<component_times> times = times_of(view);
  const demand_check checked = check_demand(view, given, asked, record_paths(view), times);
  return checked.load <= busiest && checked.p99 <= chosen_part_of_p99 * asked.p99.count();
}

TEST(fewest_cores, are_as_many_as_the_rate_keeps_busy) {
  // 0.5 s of work a record in all, of which no core is to be busier than 0.85.
  const system_view view = view_of(16, {component("a", amdahl(.2, 1)), component("b", amdahl(.3, 1))});
  for (const double rate : {1., 3., 8., 20.}) {
    const core_counts given = fewest_cores_counts(view, demand(rate));
    EXPECT_TRUE(meets(view, given, demand(rate)));
    EXPECT_GE(given.cores_used(), std::ceil(rate * .5 / busiest));
    EXPECT_LE(given.cores_used(), std::ceil(rate * .2 / busiest) + std::ceil(rate * .3 / busiest));
  }
}

TEST(fewest_cores, are_more_for_a_shorter_p99) {
  const system_view view = view_of(32, {component("a", amdahl(.2, .99)), component("b", amdahl(.3, .95))});
  int before = 0;
  for (const double p99 : {8., 4., 2., 1., .5}) {
    const core_counts given = fewest_cores_counts(view, demand(4, p99));
    EXPECT_TRUE(meets(view, given, demand(4, p99))) << p99;
    EXPECT_GE(given.cores_used(), before) << p99;
    before = given.cores_used();
  }
  EXPECT_GT(before, fewest_cores_counts(view, demand(4)).cores_used());
}

TEST(fewest_cores, of_what_cannot_be_met_are_all_that_latency_at_the_rate_has) {
  const system_view view = view_of(8, {component("a", amdahl(.2, .9)), component("b", amdahl(.3, .9))});
  EXPECT_EQ(fewest_cores_counts(view, demand(100)), latency_counts(view, 100));
  EXPECT_EQ(fewest_cores_counts(view, demand(2, .01)), latency_counts(view, 2));
}

// For equal forecasts near the goal the allotment in force is in time, and any other is late. Otherwise one would be
// left and taken again.
TEST(fewest_cores, in_force_may_use_the_margin_of_the_demand_that_others_must_keep) {
  system_view view = view_of(16, {component("a", amdahl(.2, .9)), component("b", amdahl(.3, .9))});
  const adaptive free(objective::fewest_cores({3, 100s}));
  const allotment few = free.decide(view);
  const double p99 = free.assess(view, few).p99;
  const auto cost = [&](double part_of_p99, const allotment& now) {
    view.current = now;
    const std::chrono::duration<double> asked(p99 / part_of_p99);
    return adaptive(objective::fewest_cores({3, asked})).assess(view, few).cost;
  };
  const allotment other = equal_shares().decide(view);
  ASSERT_NE(few, other);
  const double in_time = cost(.5, few);
  EXPECT_EQ(cost(.5, other), in_time);
  EXPECT_EQ(cost(.95, few), in_time);
  EXPECT_GT(cost(.95, other), cost(.95, few));
  EXPECT_GT(cost(1.05, few), in_time);
  EXPECT_EQ(cost(1.05, other), cost(1.05, few)) << "neither meets it";
  EXPECT_GT(cost(1.05, few), cost(.9, other)) << "the one that meets it, though without the margin, is better";
}

// Against every division on every smaller number of cores: one core more at most, and seldom that.
TEST(fewest_cores, are_within_one_core_of_the_fewest_of_all_divisions) {
  std::mt19937 random(7);
  const int trials = testing::fewer(150);
  int feasible = 0, one_more = 0;
  for (int trial = 0; trial < trials; ++trial) {
    system_view view = testing::random_view(random, 6, true, 3);
    if (!testing::can_own(view)) continue;
    const double best = expected_times(view, adaptive{}.decide(view)).bottleneck;
    if (!(best > 0)) continue;
    const double rate = std::uniform_real_distribution<>(.1, .8)(random) / best;
    const double alone = adaptive{objective::latency}.assess(view, adaptive{objective::latency}.decide(view)).cost;
    const stream_demand asked = demand(rate, alone * std::uniform_real_distribution<>(3, 30)(random));
    const core_counts given = fewest_cores_counts(view, asked);
    if (!meets(view, given, asked)) continue;
    ++feasible;
    int fewest = given.cores_used();
    for (int cores = 1; cores < given.cores_used(); ++cores) {
      system_view smaller = view;
      smaller.cores = view.cores.part(0, cores);
      if (!testing::can_own(smaller)) continue;
      testing::every_division(smaller, true, [&](const core_counts& one) {
        if (one.cores_used() < fewest && meets(view, one, asked)) fewest = one.cores_used();
      });
    }
    one_more += given.cores_used() > fewest;
    EXPECT_LE(given.cores_used(), fewest + 1) << trial;
  }
  std::printf("%d demands that can be met, %d of them with a core less\n", feasible, one_more);
  EXPECT_GT(feasible, trials / 4);
  EXPECT_LE(one_more, feasible / 10);
}

TEST(fewest_cores, what_does_not_meet_a_demand_costs_more_than_what_does_and_the_more_the_further_away) {
  const system_view view = view_of(8, {component("a", amdahl(1, 1))});
  const policy rule = adaptive{objective::fewest_cores({4, 3s})};
  double before = std::numeric_limits<double>::infinity();
  for (int cores = 1; cores <= 5; ++cores) {  // from overloaded over late to met
    const double cost = rule.assess(view, {{{core_set::range(0, cores), 1}}, {}}).cost;
    EXPECT_LT(cost, before) << cores;
    before = cost;
  }
  const double met = rule.assess(view, {{{core_set::range(0, 7), 1}}, {}}).cost;
  EXPECT_DOUBLE_EQ(met, 7. / 8 / 4);
  EXPECT_DOUBLE_EQ(rule.assess(view, {{{core_set::range(0, 8), 1}}, {}}).cost, 1. / 4);
}

TEST(fewest_cores, an_objective_says_its_name_and_refuses_what_is_no_demand) {
  EXPECT_EQ(objective::fewest_cores({.rate = 40}).name(), "fewest cores for 40/s");
  EXPECT_EQ(objective::fewest_cores({.rate = 40, .p99 = 200ms}).name(), "fewest cores for 40/s, p99 200 ms");
  EXPECT_EQ(testing::refusal([] { objective::fewest_cores({.rate = 0}); }),
            "objective::fewest_cores: the rate is 0 records a second; it must be finite and more than 0");
  EXPECT_EQ(testing::refusal([] { objective::fewest_cores({.rate = 1, .p99 = -1ms}); }),
            "objective::fewest_cores: p99 is -0.001 seconds; it must be more than 0");
  EXPECT_NE(testing::refusal([] {
              objective::fewest_cores({1, std::chrono::duration<double>(std::nan(""))});
            }),
            testing::nothing_refused);
}

}  // namespace
}  // namespace weir
