#include "scheduler/expect/cost_curve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <weir/scheduler/divide/throughput.hpp>
#include "scheduler/expect/expectation.hpp"
#include "tests/scheduler/views.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

// A component of any law: smooth, in steps, with numbers of cores that hurt, or all of these, and any bounds.
component_view any_component(std::mt19937& random, int cores) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  const double alpha = pick(0, 4) == 0 ? 1 : real(.5, 1), contention = pick(0, 2) == 0 ? real(0, .01) : 0;
  const int pieces = pick(0, 2) == 0 ? pick(2, cores + 1) : 0;
  const bool is_rough = pick(0, 2) == 0;
  std::vector<double> times;
  for (int p = 1; p <= cores; ++p) {
    const double parts = pieces > 0 ? pieces / std::ceil(static_cast<double>(pieces) / p) : p;
    const double smooth = alpha / parts + 1 - alpha + contention * (p - 1);
    times.push_back(is_rough && pick(0, 4) == 0 ? smooth * real(.7, 1.5) : smooth);
  }
  component_view c = testing::component("c", testing::table(times));
  const int widths[] = {1, 2, 3, 5, pick(6, 40), unlimited, unlimited, unlimited};
  c.max_width = widths[pick(0, 7)];
  c.visits = pick(0, 9) == 0 ? 0 : real(.1, 3);
  c.sequential = pick(0, 6) == 0;
  if (pick(0, 3) == 0) c.max_cores = pick(1, cores);
  if (pick(0, 3) == 0) c.min_cores = std::min(pick(1, 4), c.max_cores);
  if (pick(0, 1) == 0)
    c.model = std::make_shared<testing::known_truth>(testing::table(times), true, pick(1, std::max(1, cores / 2)));
  return c;
}

// The best of all numbers of lanes: the fewest that are within lane_gain of the fastest. Only the first and the last of
// numbers with equal cores / lanes, rounded down, count.
cost_curve::point by_trying_all(component_times& times, int cores, const share_limits& limits, double lane_gain) {
  const int most = std::min(cores, limits.width);
  double least = INFINITY;
  const auto is_allowed = [&](int width) { return static_cast<long long>(width) * limits.lane_cores >= cores; };
  for (int width = 1; width <= most; ++width)
    if (is_allowed(width)) least = std::min(least, times.seconds(cores, width));
  for (int width = 1; width <= most; ++width)
    if (const int q = cores / width; width > 1 && width < most && cores / (width - 1) == q && cores / (width + 1) == q)
      continue;
    else if (is_allowed(width) && times.seconds(cores, width) * (1 - lane_gain) <= least)
      return {times.seconds(cores, width), width};
  return {INFINITY, most};
}

TEST(cost_curve, has_the_lanes_that_trying_all_numbers_of_them_finds) {
  std::mt19937 random(3);
  const throughput_options options;
  for (int trial = 0; trial < testing::fewer(400); ++trial) {
    const int cores = std::uniform_int_distribution<int>(1, trial % 4 == 0 ? 300 : 60)(random);
    const component_view c = any_component(random, cores);
    if (c.min_cores > cores) continue;
    component_times times(c), asked(c);
    cost_curve curve(c, asked, cores, options);
    const share_limits limits = limits_of(c, cores, options);
    // In any order: the first query must not matter.
    std::vector<int> numbers;
    for (int p = curve.bounds().lower; p <= curve.bounds().upper; ++p) numbers.push_back(p);
    std::shuffle(numbers.begin(), numbers.end(), random);
    for (const int p : numbers) {
      const cost_curve::point is = curve.at(p), best = by_trying_all(times, p, limits, options.lane_gain);
      ASSERT_EQ(is.width, best.width) << "trial " << trial << ", " << p << " cores";
      ASSERT_TRUE(is.seconds == best.seconds || std::abs(is.seconds / best.seconds - 1) < 1e-12)
          << "trial " << trial << ", " << p << " cores: " << is.seconds << " and not " << best.seconds;
    }
  }
}

TEST(cost_curve, needs_the_fewest_cores_that_are_fast_enough_whatever_the_shape_of_the_times) {
  std::mt19937 random(4);
  const throughput_options options;
  for (int trial = 0; trial < testing::fewer(600); ++trial) {
    const int cores = std::uniform_int_distribution<int>(1, trial % 4 == 0 ? 600 : 60)(random);
    const component_view c = any_component(random, cores);
    if (c.min_cores > cores) continue;
    component_times times(c), all_times(c);
    cost_curve curve(c, times, cores, options), table(c, all_times, cores, options);
    for (int asked = 0; asked < 12; ++asked) {
      const double bottleneck =
          table.one_core() * std::pow(10.0, std::uniform_real_distribution<double>(-2.5, .2)(random));
      const int most = std::uniform_int_distribution<int>(0, cores)(random);
      int expected = table.bounds().lower;
      const int last = std::min(most, table.bounds().upper);
      while (expected <= last && table.at(expected).seconds > bottleneck) ++expected;
      if (expected > last) expected = most + 1;
      ASSERT_EQ(curve.needed(bottleneck, most), expected) << "trial " << trial << ", bottleneck " << bottleneck;
    }
  }
}

// The least bottleneck of components that all own cores, from a table of every number of cores of each.
double bottleneck_by_table(const system_view& view) {
  std::vector<std::vector<double>> least;  // by component and cores: the fewest seconds with at most these cores
  for (const component_view& c : view.components) {
    component_times times(c);
    const share_limits limits = limits_of(c, view.cores.size(), {});
    std::vector<double>& row = least.emplace_back(1, INFINITY);
    for (int p = 1; p <= limits.cores.upper; ++p) {
      double fastest = row.back();
      visit_widths(p, limits, [&](int width) { fastest = std::min(fastest, times.seconds(p, width)); });
      row.push_back(fastest);
    }
  }
  std::vector<std::size_t> given(least.size(), 1);
  for (int left = view.cores.size() - static_cast<int>(least.size());;) {
    const auto time = [&](std::size_t i) { return least[i][given[i]]; };
    std::size_t slowest = 0;
    for (std::size_t i = 1; i < least.size(); ++i)
      if (time(i) > time(slowest)) slowest = i;
    std::size_t better = given[slowest];
    while (better < least[slowest].size() && !(least[slowest][better] < time(slowest))) ++better;
    left -= static_cast<int>(better - given[slowest]);
    if (left < 0 || better == least[slowest].size()) return time(slowest);
    given[slowest] = better;
  }
}

TEST(cost_curve, divisions_of_a_large_machine_are_as_fast_as_by_a_table_of_all_numbers_of_cores) {
  std::mt19937 random(5);
  throughput_options options;
  options.blocking = false;
  for (int trial = 0; trial < testing::fewer(60); ++trial) {
    const int cores = 1024, components = std::uniform_int_distribution<int>(1, 12)(random);
    system_view view;
    view.cores = core_set::range(0, cores);
    for (int i = 0; i < components; ++i) {
      component_view c = any_component(random, cores);
      c.min_cores = 1;
      c.max_cores = unlimited;
      if (c.visits == 0) c.visits = 1;
      view.components.push_back(std::move(c));
    }
    std::vector<component_times> times = times_of(view);
    const double mine = expected_times(throughput_counts(view, options), times).bottleneck;
    const double least = bottleneck_by_table(view);
    // Lanes and divisions that are within a hundredth of each other count as equal. A shared group may do better.
    ASSERT_LE(mine, least * (1 + options.tie) / (1 - options.lane_gain) * (1 + 1e-9)) << "trial " << trial;
  }
}

}  // namespace
}  // namespace weir
