#include "scheduler/expect/expectation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

using namespace testing;

TEST(expectation, an_owner_takes_visits_over_the_sum_of_the_rates_of_its_lanes) {
  system_view view = view_of(8, {component("a", table({10, 6, 4}))});
  view.components[0].visits = 2;
  const auto on = [&](int cores, int width) {
    return expected_times(view, {{{core_set::range(0, cores), width}}, {}}).bottleneck;
  };
  EXPECT_DOUBLE_EQ(on(2, 1), 2 * 6);
  EXPECT_DOUBLE_EQ(on(4, 2), 2 * 6 / 2.0);
  EXPECT_DOUBLE_EQ(on(5, 2), 2 / (1 / 4.0 + 1 / 6.0));
}

// A member runs as many concurrent invocations as its box allows, by .width or .cores.
TEST(expectation, the_group_takes_the_sum_over_its_cores_but_no_less_than_a_member_in_all_its_lanes) {
  system_view view =
      view_of(8, {component("a", amdahl(3, 0)), component("b", amdahl(1, 0)), component("c", amdahl(2, 0))});
  const auto on = [&](int cores) { return expected_times(view, {{{}, {}, {}}, core_set::range(0, cores)}); };
  EXPECT_DOUBLE_EQ(on(1).bottleneck, 6);
  EXPECT_DOUBLE_EQ(on(2).bottleneck, 3);
  EXPECT_DOUBLE_EQ(on(5).bottleneck, 1.2);
  view.components[0].max_width = 2;
  EXPECT_DOUBLE_EQ(on(5).bottleneck, 1.5);
  view.components[0].max_cores = 1;
  EXPECT_DOUBLE_EQ(on(5).bottleneck, 3);
  EXPECT_EQ(on(1).slowest, -1);
  EXPECT_DOUBLE_EQ(on(1).seconds[2], 2);
}

// The member with the most work, wherever it stands; or the one whose lanes the others' cores cannot help.
TEST(expectation, names_the_member_that_the_time_of_the_group_is_due_to) {
  system_view view =
      view_of(8, {component("a", amdahl(1, 0)), component("b", amdahl(3, 0)), component("c", amdahl(2, 0))});
  const auto on = [&](int cores) { return expected_times(view, {{{}, {}, {}}, core_set::range(0, cores)}); };
  EXPECT_EQ(on(2).heaviest, 1);
  view.components[2].max_width = 1;
  EXPECT_EQ(on(2).heaviest, 1) << "the sum over the cores is longer";
  EXPECT_EQ(on(6).heaviest, 2) << "its one lane is";
  view.components[1].visits = 0.1;
  EXPECT_EQ(on(1).heaviest, 2) << "the work for a record counts, not for an invocation";
  EXPECT_EQ(expected_times(view, {{{{0}, 1}, {{1}, 1}, {{2}, 1}}, {}}).heaviest, -1);
}

TEST(expectation, a_host_runs_the_group_between_the_invocations_of_one_lane) {
  const system_view view = view_of(2, {component("a", amdahl(1, 0)), component("b", amdahl(50, 0))});
  const auto with = [&](int lanes) { return expected_times(view, {{{}, {{0, 1}, lanes}}, {0}}); };
  EXPECT_DOUBLE_EQ(with(1).bottleneck, 51);
  EXPECT_DOUBLE_EQ(with(2).bottleneck, 25.5);
  EXPECT_EQ(with(1).slowest, 1);
}

TEST(expectation, a_host_of_lanes_agrees_with_a_simulation_of_them) {
  // Over a long time every lane works; the first gives the group its share before it works for itself.
  for (double group : {0.1, 1.0, 3.0}) {
    const system_view view = view_of(5, {component("a", amdahl(group, 0)), component("b", table({10, 6, 4}))});
    const double expected = expected_times(view, {{{}, {core_set::range(0, 5), 2}}, {0}}).bottleneck;
    double records = 0, now = 0;
    const double step = 1e-3, lanes[] = {4, 6};
    double owed = 0;
    for (; now < 2000; now += step) {
      double first = step - std::min(step, owed);
      owed -= step - first;
      const double done = first / lanes[0] + step / lanes[1];
      records += done;
      owed += done * group;
    }
    EXPECT_NEAR(now / records, expected, expected * 1e-3) << group;
  }
}

TEST(expectation, the_mean_is_taken_over_the_recent_inputs) {
  system_view view = view_of(2, {component("a", [](double x, int p) { return x * x * x / p; })});
  view.components[0].recent.clear();
  double exact = 0;
  for (int i = 0; i < 64; ++i) {
    const double x = 100 + 10 * ((i * 37) % 64);
    view.components[0].recent.push_back({x, 1, 0});
    exact += x * x * x / 64;
  }
  EXPECT_NEAR(expected_times(view, {{{{0}, 1}}, {}}).bottleneck, exact, 0.02 * exact);
}

TEST(expectation, what_is_not_known_is_nan_and_what_is_never_visited_is_nothing) {
  system_view view = view_of(2, {testing::unobserved("a"), testing::unobserved("b")});
  view.components[1].visits = 0;
  const expectation e = expected_times(view, {{{{0}, 1}, {{1}, 1}}, {}});
  EXPECT_TRUE(std::isnan(e.seconds[0]));
  EXPECT_EQ(e.seconds[1], 0);
}

}  // namespace
}  // namespace weir
