#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include <weir/scheduler/policies/adaptive.hpp>
#include "scheduler/divide/latency.hpp"
#include "scheduler/expect/flow.hpp"
#include "tests/scheduler/divide/every_division.hpp"
#include "tests/scheduler/views.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using namespace testing;

const policy adaptive_latency = adaptive{objective::latency};

bool all_own(const core_counts& counts) {
  return std::all_of(counts.components.begin(), counts.components.end(),
                     [](const core_counts::entry& e) { return e.cores > 0; });
}

enum class wiring { chain, choice, fan_out };

// A random view whose boxes can keep their bounds; sometimes it has fewer cores than components.
system_view random_network(std::mt19937& random, int most_cores, wiring kind, int fewest = 1, int most = 4) {
  for (;;) {
    system_view view = testing::random_view(random, most_cores, true, std::max(6, most));
    const int n = static_cast<int>(view.components.size());
    if (n < fewest || n > most || !testing::can_own(view) || (kind != wiring::chain && n < 3)) continue;
    if (kind == wiring::chain) return view;
    // The first component, then all the middle ones in parallel, then the last.
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

void print(const char* what, const excess& e, int trials) {
  std::printf("%-40s %5d instances: %.3f %% over the best on average, %.2f %% at most, %d more than 5 %%\n", what,
              trials, e.mean * 100, e.most * 100, e.over);
}

TEST(latency, no_allotment_in_which_every_component_owns_cores_is_faster) {
  std::mt19937 random(21);
  for (wiring kind : {wiring::chain, wiring::choice, wiring::fan_out})
    for (int trial = 0; trial < testing::fewer(500); ++trial) {
      const system_view view = random_network(random, 8, kind);
      const record_paths paths(view);
      std::vector<component_times> times = times_of(view);
      double best = INFINITY;
      every_division(view, false, [&](const core_counts& counts) {
        if (all_own(counts)) best = std::min(best, expected_flow(view, counts, 0, paths, times).latency);
      });
      const allotment given = adaptive_latency.decide(view);
      ASSERT_EQ(check(given, view.cores), "");
      ASSERT_LE(adaptive_latency.assess(view, given).cost, best * (1 + 1e-9))
          << trial << ": " << to_string(given, names_of(view));
    }
}

// The highest cost of sharing for a single record: the bottleneck of the fastest division without sharing.
double bottleneck_without_sharing(const system_view& view, const record_paths& paths,
                                  std::vector<component_times>& times) {
  double own = INFINITY, limit = INFINITY;
  every_division(view, false, [&](const core_counts& counts) {
    if (!all_own(counts)) return;
    const flow one = expected_flow(view, counts, 0, paths, times);
    if (one.latency < own * (1 - 1e-9)) limit = INFINITY;
    if (one.latency < own * (1 + 1e-9)) own = std::min(own, one.latency), limit = std::min(limit, 1 / one.throughput);
  });
  return limit;
}

struct setting {
  const char* name;
  wiring kind;
  int most_cores, fewest, most;  // components
};

excess alone(const setting& s, int trials, unsigned seed) {
  std::mt19937 random(seed);
  excess result;
  for (int trial = 0; trial < trials; ++trial) {
    const system_view view = random_network(random, s.most_cores, s.kind, s.fewest, s.most);
    const record_paths paths(view);
    std::vector<component_times> times = times_of(view);
    const double limit = bottleneck_without_sharing(view, paths, times);
    double best = INFINITY;
    every_division(view, false, [&](const core_counts& counts) {
      const flow one = expected_flow(view, counts, 0, paths, times);
      if (1 / one.throughput <= limit) best = std::min(best, one.latency);
    });
    if (best > 0) result.add(adaptive_latency.assess(view, adaptive_latency.decide(view)).cost / best - 1, trials);
  }
  print((std::string("alone, ") + s.name).c_str(), result, trials);
  return result;
}

excess at_a_rate(const setting& s, int trials, unsigned seed) {
  std::mt19937 random(seed);
  excess result;
  for (int trial = 0; trial < trials; ++trial) {
    const system_view view = random_network(random, s.most_cores, s.kind, s.fewest, s.most);
    const record_paths paths(view);
    std::vector<component_times> times = times_of(view);
    double bottleneck = INFINITY;
    every_division(view, true, [&](const core_counts& counts) {
      bottleneck = std::min(bottleneck, expected_times(counts, times).bottleneck);
    });
    if (!(bottleneck > 0)) continue;
    const double rate = std::uniform_real_distribution<double>(.05, .95)(random) * busiest / bottleneck;
    double best = INFINITY;
    every_division(view, true, [&](const core_counts& counts) {
      const flow one = expected_flow(view, counts, rate, paths, times);
      if (rate <= busiest * one.throughput) best = std::min(best, one.latency);
    });
    const policy at_rate = adaptive{objective::latency_at(rate)};
    const allotment given = at_rate.decide(view);
    EXPECT_EQ(check(given, view.cores), "");
    const double over = at_rate.assess(view, given).cost / best - 1;
    EXPECT_GT(over, -1e-9);
    result.add(over, trials);
  }
  print((std::string("at a rate, ") + s.name).c_str(), result, trials);
  return result;
}

std::vector<setting> few_components(int most_cores) {
  return {{"chain", wiring::chain, most_cores, 1, 4},
          {"choice", wiring::choice, most_cores, 1, 4},
          {"fan-out", wiring::fan_out, most_cores, 1, 4}};
}

// More components than cores in most cases; the larger half has one core less.
std::vector<setting> crowds(int most_cores) {
  return {{"chain, 5 to 8", wiring::chain, most_cores, 5, 8},
          {"chain, 9 to 12", wiring::chain, most_cores - 1, 9, 12},
          {"choice, 5 to 8", wiring::choice, most_cores, 5, 8},
          {"choice, 9 to 12", wiring::choice, most_cores - 1, 9, 12},
          {"fan-out, 5 to 8", wiring::fan_out, most_cores, 5, 8},
          {"fan-out, 9 to 12", wiring::fan_out, most_cores - 1, 9, 12}};
}

TEST(latency, is_near_the_best_of_all_allotments_that_share_where_that_slows_no_bottleneck) {
  for (const setting& s : few_components(8)) {
    const excess result = alone(s, testing::fewer(500), 22);
    EXPECT_LT(result.mean, .005);
    EXPECT_LT(result.most, .05);
  }
}

TEST(latency_at, is_near_the_best_of_all_allotments) {
  for (const setting& s : few_components(6)) {
    const excess result = at_a_rate(s, testing::fewer(500), 23);
    EXPECT_LT(result.mean, .005);
    EXPECT_LT(result.most, .05);
  }
}

TEST(latency, is_near_the_best_where_most_components_must_share) {
  for (const setting& s : crowds(6)) {
    const excess result = alone(s, testing::fewer(50), 24);
    EXPECT_LT(result.mean, .005);
    EXPECT_LE(result.over, 1);
  }
}

TEST(latency_at, is_near_the_best_where_most_components_must_share) {
  for (const setting& s : crowds(5)) {
    const excess result = at_a_rate(s, testing::fewer(50), 26);
    EXPECT_LT(result.mean, .005);
    EXPECT_LE(result.over, 1);
  }
}

}  // namespace
}  // namespace weir
