#include "scheduler/latency.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "every_division.hpp"
#include "scheduler/adaptive.hpp"
#include "scheduler/flow.hpp"
#include "tests/support/sanitizers.hpp"
#include "views.hpp"

namespace weir {
namespace {

using testing::amdahl;
using testing::component;
using testing::cores_of;
using testing::every_division;
using testing::table;
using testing::view_of;

const policy rule = adaptive{objective::latency};

std::string decided(const system_view& view) { return to_string(rule.decide(view), names_of(view)); }
double latency(const system_view& view) { return rule.cost(view, rule.decide(view)); }

TEST(latency, check_vectors) {
  for (const auto& [cores, expected, sum] :
       {std::tuple{8, std::vector<int>{4, 3, 1}, 7.85}, std::tuple{12, std::vector<int>{6, 4, 2}, 5.95},
        std::tuple{16, std::vector<int>{8, 6, 2}, 5.025}}) {
    const system_view view = view_of(cores, testing::check_components());
    EXPECT_EQ(cores_of(rule.decide(view)), expected);
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

TEST(latency, an_invocation_gets_at_most_twice_the_cores_that_were_observed_once_alpha_is_known) {
  system_view view = view_of(32, {component("a", amdahl(1, .99))});
  view.components[0].model = std::make_shared<testing::known_truth>(amdahl(1, .99), true, 3);
  EXPECT_EQ(cores_of(rule.decide(view))[0], 6);
  view.components[0].model = std::make_shared<testing::known_truth>(amdahl(1, .99), false, 3);
  EXPECT_EQ(cores_of(rule.decide(view))[0], 32);
}

TEST(latency, of_two_ways_side_by_side_both_are_helped) {
  system_view view = view_of(
      8, {component("fork", amdahl(.01, 0)), component("left", amdahl(4, 1)), component("right", amdahl(4, 1))});
  view.links = {{-1, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, -1, 1}, {2, -1, 1}};
  EXPECT_EQ(cores_of(rule.decide(view)), (std::vector<int>{0, 4, 4}));
}

TEST(latency, the_cost_of_what_was_not_observed_is_unknown) {
  const system_view view = view_of(4, {component("a", amdahl(1, .9)), testing::unobserved("b")});
  EXPECT_TRUE(std::isnan(rule.cost(view, rule.decide(view))));
}

TEST(latency_at, every_component_keeps_up_with_the_rate_and_what_is_left_goes_where_it_saves_most) {
  // At 1/s, two lanes keep up with what one core of an invocation cannot.
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

TEST(latency_at, an_allotment_that_cannot_keep_up_costs_more_than_any_that_can_and_by_its_bottleneck) {
  std::mt19937 random(9);
  for (int trial = 0; trial < testing::fewer(500); ++trial) {
    const system_view view = testing::random_view(random, 12, false);
    const allotment best = adaptive{objective::throughput}.decide(view);
    const double bottleneck = expected_times(view, best).bottleneck;
    if (!(bottleneck > 0)) continue;
    const double rate = busiest / bottleneck;
    const policy just = adaptive{objective::latency_at(rate * .999)},
                 over = adaptive{objective::latency_at(rate * 1.001)},
                 twice = adaptive{objective::latency_at(rate * 2)};
    ASSERT_LT(just.cost(view, best), over.cost(view, best)) << trial;
    ASSERT_NEAR(twice.cost(view, best), 2 / 1.001 * over.cost(view, best), 1e-6 * twice.cost(view, best));
  }
}

TEST(latency_at, an_objective_says_its_name_and_refuses_what_is_no_rate) {
  EXPECT_EQ(objective::throughput.name(), "throughput");
  EXPECT_EQ(objective::latency.name(), "latency");
  EXPECT_EQ(objective::latency_at(40).name(), "latency at 40/s");
  EXPECT_EQ(testing::refusal([] { objective::latency_at(-1); }),
            "objective::latency_at: the rate is -1 records a second; it must be finite and more than 0");
}

bool all_own(const core_counts& counts) {
  return std::all_of(counts.components.begin(), counts.components.end(),
                     [](const core_counts::entry& e) { return e.cores > 0; });
}

enum class wiring { chain, choice, fan_out };

// A random view whose boxes can keep their own bounds; sometimes with fewer cores than components.
system_view random_network(std::mt19937& random, int most_cores, wiring kind) {
  for (;;) {
    system_view view = testing::random_view(random, most_cores, true);
    const int n = static_cast<int>(view.components.size());
    bool can_own = n <= 4 && testing::refusal([&] { require_minima(view); }).empty();
    for (component_view& c : view.components) can_own = can_own && (!c.sequential || c.min_cores <= c.max_width);
    if (!can_own || (kind != wiring::chain && n < 3)) continue;
    if (kind == wiring::chain) return view;
    // The first, then all between side by side, then the last.
    const double records = kind == wiring::choice ? 1.0 / (n - 2) : 1;
    view.links = {{-1, 0, 1}, {n - 1, -1, 1}};
    for (int i = 1; i + 1 < n; ++i) {
      view.links.push_back({0, i, records});
      view.links.push_back({i, n - 1, records});
      view.components[static_cast<std::size_t>(i)].visits = records;
    }
    view.components.front().visits = 1;
    view.components.back().visits = kind == wiring::choice ? 1 : n - 2;
    return view;
  }
}

struct excess {
  double mean = 0, most = 0;
  int over = 0;  // instances that are more than 5 % over the best
};

void add(excess& sum, double over, int trials) {
  sum.mean += std::max(0.0, over) / trials;
  sum.most = std::max(sum.most, over);
  sum.over += over > .05;
}

void print(const char* what, const excess& e, int trials) {
  std::printf("%-40s %5d instances: %.3f %% over the best on average, %.2f %% at most, %d more than 5 %%\n", what,
              trials, e.mean * 100, e.most * 100, e.over);
}

TEST(latency, no_allotment_in_which_every_component_owns_cores_is_faster) {
  std::mt19937 random(21);
  for (wiring kind : {wiring::chain, wiring::choice, wiring::fan_out})
    for (int trial = 0; trial < testing::fewer(500); ++trial) {
      const system_view view = random_network(random, 8, kind);
      const passage way(view);
      std::vector<component_times> times = times_of(view);
      double best = INFINITY;
      every_division(view, false, [&](const core_counts& counts) {
        if (all_own(counts)) best = std::min(best, expected_flow(view, counts, 0, way, times).latency);
      });
      const allotment given = rule.decide(view);
      ASSERT_EQ(check(given, view.cores), "");
      ASSERT_LE(rule.cost(view, given), best * (1 + 1e-9)) << trial << ": " << to_string(given, names_of(view));
    }
}

TEST(latency, is_near_the_best_of_all_allotments_that_share_where_that_slows_no_bottleneck) {
  std::mt19937 random(22);
  for (const auto& [what, kind] : {std::pair{"alone, chain", wiring::chain},
                                   {"alone, choice", wiring::choice},
                                   {"alone, fan-out", wiring::fan_out}}) {
    excess result;
    const int trials = testing::fewer(500);
    for (int trial = 0; trial < trials; ++trial) {
      const system_view view = random_network(random, 8, kind);
      const passage way(view);
      std::vector<component_times> times = times_of(view);
      const allotment given = rule.decide(view);
      // What sharing may cost: the bottleneck of the fastest in which nobody shares.
      double own = INFINITY, limit = INFINITY;
      every_division(view, false, [&](const core_counts& counts) {
        if (!all_own(counts)) return;
        const flow one = expected_flow(view, counts, 0, way, times);
        if (one.latency < own * (1 - 1e-9)) limit = INFINITY;
        if (one.latency < own * (1 + 1e-9))
          own = std::min(own, one.latency), limit = std::min(limit, 1 / one.throughput);
      });
      double best = INFINITY;
      every_division(view, false, [&](const core_counts& counts) {
        const flow one = expected_flow(view, counts, 0, way, times);
        if (1 / one.throughput <= limit) best = std::min(best, one.latency);
      });
      if (best > 0) add(result, rule.cost(view, given) / best - 1, trials);
    }
    print(what, result, trials);
    EXPECT_LT(result.mean, .005);
    EXPECT_LT(result.most, .05);
  }
}

TEST(latency_at, is_near_the_best_of_all_allotments) {
  std::mt19937 random(23);
  for (const auto& [what, kind] : {std::pair{"at a rate, chain", wiring::chain},
                                   {"at a rate, choice", wiring::choice},
                                   {"at a rate, fan-out", wiring::fan_out}}) {
    excess result;
    const int trials = testing::fewer(500);
    for (int trial = 0; trial < trials; ++trial) {
      const system_view view = random_network(random, 6, kind);
      const passage way(view);
      std::vector<component_times> times = times_of(view);
      double bottleneck = INFINITY;
      every_division(view, true, [&](const core_counts& counts) {
        bottleneck = std::min(bottleneck, expected_times(counts, times).bottleneck);
      });
      if (!(bottleneck > 0)) continue;
      const double rate = std::uniform_real_distribution<double>(.05, .95)(random) * busiest / bottleneck;
      double best = INFINITY;
      every_division(view, true, [&](const core_counts& counts) {
        const flow one = expected_flow(view, counts, rate, way, times);
        if (rate <= busiest * one.throughput) best = std::min(best, one.latency);
      });
      const policy at_rate = adaptive{objective::latency_at(rate)};
      const allotment given = at_rate.decide(view);
      ASSERT_EQ(check(given, view.cores), "");
      const double over = at_rate.cost(view, given) / best - 1;
      ASSERT_GT(over, -1e-9);
      add(result, over, trials);
    }
    print(what, result, trials);
    EXPECT_LT(result.mean, .005);
    EXPECT_LT(result.most, .05);
  }
}

}  // namespace
}  // namespace weir
