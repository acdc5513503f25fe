#include "scheduler/divide/latency.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <weir/scheduler/policies/adaptive.hpp>
#include "scheduler/expect/flow.hpp"
#include "tests/scheduler/views.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using namespace testing;

const policy by_latency = adaptive{objective::latency};

std::string decided(const system_view& view) { return to_string(by_latency.decide(view), names_of(view)); }
double latency(const system_view& view) { return by_latency.assess(view, by_latency.decide(view)).cost; }

TEST(latency, check_vectors) {
  for (const auto& [cores, expected, sum] :
       {std::tuple{8, std::vector<int>{4, 3, 1}, 7.85}, std::tuple{12, std::vector<int>{6, 4, 2}, 5.95},
        std::tuple{16, std::vector<int>{8, 6, 2}, 5.025}}) {
    const system_view view = view_of(cores, testing::check_components());
    EXPECT_EQ(cores_of(by_latency.decide(view)), expected);
    EXPECT_NEAR(latency(view), sum, 1e-9);
  }
}

TEST(latency, an_invocation_has_all_cores_of_its_component) {
  EXPECT_EQ(decided(view_of(8, {component("a", amdahl(1, .9))})), "a 8 cores x 1 lane {0-7}");
}

TEST(latency, a_short_component_shares_a_core_of_a_long_one_where_that_makes_nothing_slower) {
  EXPECT_EQ(decided(view_of(2, {component("generate", amdahl(1e-3, 0)), component("multiply", amdahl(50e-3, .98))})),
            "multiply 2 cores x 1 lane {0-1}, shared {0} (generate)");
}

TEST(latency, a_component_whose_time_rises_again_gets_the_cores_of_its_minimum) {
  EXPECT_EQ(decided(view_of(8, {component("a", table({8, 5, 3, 4, 6}))})), "a 3 cores x 1 lane {0-2}");
}

TEST(latency, with_fewer_cores_than_components_those_share_whose_cores_would_save_least) {
  EXPECT_EQ(decided(view_of(
                2, {component("a", amdahl(5, .1)), component("b", amdahl(4, .9)), component("c", amdahl(1, .9))})),
            "b 2 cores x 1 lane {0-1}, shared {0} (a, c)");
}

TEST(latency, an_invocation_gets_at_most_twice_the_cores_that_were_observed) {
  system_view view = view_of(32, {component("a", amdahl(1, .99))});
  for (const bool alpha_known : {true, false}) {
    view.components[0].model = std::make_shared<testing::known_truth>(amdahl(1, .99), alpha_known, 3);
    EXPECT_EQ(cores_of(by_latency.decide(view))[0], 6);
  }
}

TEST(latency, of_two_ways_side_by_side_both_are_helped) {
  system_view view = view_of(
      8, {component("fork", amdahl(.01, 0)), component("left", amdahl(4, 1)), component("right", amdahl(4, 1))});
  view.links = {{-1, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, -1, 1}, {2, -1, 1}};
  EXPECT_EQ(cores_of(by_latency.decide(view)), (std::vector<int>{0, 4, 4}));
}

TEST(latency, the_cost_of_what_was_not_observed_is_unknown) {
  const system_view view = view_of(4, {component("a", amdahl(1, .9)), testing::unobserved("b")});
  EXPECT_TRUE(std::isnan(by_latency.assess(view, by_latency.decide(view)).cost));
}

TEST(latency_at, every_component_keeps_up_with_the_rate_and_what_is_left_goes_where_it_saves_most) {
  // At 1/s, two lanes keep up with a rate that one core of an invocation cannot.
  system_view view = view_of(8, {component("a", amdahl(1.5, 0)), component("b", amdahl(.5, .9))});
  const policy at_one = adaptive{objective::latency_at(1)};
  const allotment given = at_one.decide(view);
  const flow expected = expected_flow(view, given, 1);
  for (double busy : expected.utilisation) EXPECT_LE(busy, busiest);
  EXPECT_GE(given.components[0].width, 2);
  EXPECT_EQ(check(given, view.cores), "");
}

TEST(latency_at, a_rate_that_nothing_keeps_up_with_is_answered_like_throughput) {
  const system_view view = view_of(8, testing::check_components());
  const policy fast = adaptive{objective::latency_at(100)};
  EXPECT_EQ(fast.decide(view), adaptive{objective::throughput}.decide(view));
}

// Beyond the steady load each record waits longer than the one before, by what the bottleneck takes more than that. The
// mean is over 1000 records.
TEST(latency_at, an_allotment_that_cannot_keep_up_costs_the_wait_behind_its_backlog) {
  std::mt19937 random(9);
  for (int trial = 0; trial < testing::fewer(500); ++trial) {
    const system_view view = testing::random_view(random, 12, false);
    const allotment best = adaptive{objective::throughput}.decide(view);
    const double bottleneck = expected_times(view, best).bottleneck;
    if (!(bottleneck > 0)) continue;
    const double rate = steady_load / bottleneck;
    const policy just = adaptive{objective::latency_at(rate * .999)}, steady = adaptive{objective::latency_at(rate)},
                 over = adaptive{objective::latency_at(rate * 1.001)},
                 twice = adaptive{objective::latency_at(rate * 2)};
    ASSERT_LT(just.assess(view, best).cost, over.assess(view, best).cost) << trial;
    ASSERT_NEAR(twice.assess(view, best).cost, steady.assess(view, best).cost + 500 * bottleneck / 2,
                1e-6 * twice.assess(view, best).cost);
  }
}

// Invariant: weights move cores. A long component that shares makes short ones wait, so it gets lanes of its own; where
// the weights of the short ones let them wait for little, all share. By waits without weights nothing would move.
TEST(latency_at, components_whose_weights_let_them_wait_for_little_share_with_a_long_one) {
  system_view view = view_of(2, {component("a", amdahl(.2, 0), 1), component("long", amdahl(.6, 0)),
                                 component("b", amdahl(.1, 0), 1), component("c", amdahl(.2, 0), 1)});
  const policy at_rate = adaptive{objective::latency_at(1.5)};
  const auto weighted = [&](int of_short, int of_long) {
    for (component_view& c : view.components) c.priority = c.name == "long" ? of_long : of_short;
    return at_rate.decide(view);
  };
  const allotment apart = weighted(1, 1), together = weighted(100, 1);
  EXPECT_EQ(to_string(apart, names_of(view)), "long 2 cores x 2 lanes {0-1}, shared {0} (a, b, c)");
  EXPECT_EQ(to_string(together, names_of(view)), "shared {0-1} (a, long, b, c)");
  EXPECT_LT(at_rate.assess(view, together).cost, 0.8 * at_rate.assess(view, apart).cost);
  EXPECT_EQ(weighted(100, 100), apart);
}

TEST(latency_at, an_objective_says_its_name_and_refuses_what_is_no_rate) {
  EXPECT_EQ(objective::throughput.name(), "throughput");
  EXPECT_EQ(objective::latency.name(), "latency");
  EXPECT_EQ(objective::latency_at(40).name(), "latency at 40/s");
  EXPECT_EQ(testing::refusal([] { objective::latency_at(-1); }),
            "objective::latency_at: the rate is -1 records a second; it must be finite and more than 0");
}

}  // namespace
}  // namespace weir
