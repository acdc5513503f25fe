#include "runtime/run/cutting_trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace weir::detail::cutting_trial_test {
namespace {

constexpr double us = 1e-6;

// A stream whose records enter at the pace of the plan in force, and the control loop's part: steps, and plans that
// follow the trial.
struct stream {
  std::function<double(double now, bool cuts)> pace;  // seconds between two records
  cutting_trial trial{};
  fusion_plan plan{.fused = {}, .cutting_matters = true, .seconds = 1 * us};
  double now = 0, entered = 0;
  int changes = 0;         // of the plan in force
  double seconds_cut = 0;  // under a plan that cuts

  void step_until(double end, bool is_disturbed = false) {
    for (double next = now; now < end; now = next) {
      next = std::min({end, trial.due(), now + 1e-3});
      if (next <= now) next = now + 1e-4;
      entered += (next - now) / pace(now, plan.cuts_short);
      if (plan.cuts_short) seconds_cut += next - now;
      trial.take(next, static_cast<std::uint64_t>(entered), plan, is_disturbed);
      EXPECT_GT(trial.due(), next) << "steps follow each other without a pause";
      const bool cuts = plan.cutting_matters && trial.cuts_short();
      changes += std::exchange(plan.cuts_short, cuts) != cuts;
    }
  }
};

TEST(a_cutting_trial, cuts_short_boxes_off_where_more_records_enter_so) {
  stream bound_by_one_lane{[](double, bool cuts) { return cuts ? 6 * us : 10 * us; }};
  EXPECT_FALSE(bound_by_one_lane.trial.cuts_short());
  bound_by_one_lane.step_until(0.1);
  EXPECT_TRUE(bound_by_one_lane.plan.cuts_short);
  EXPECT_EQ(bound_by_one_lane.changes, 3) << "tried, taken back to compare, kept";
}

TEST(a_cutting_trial, leaves_them_inline_where_hand_overs_cost_more_and_tries_ever_more_seldom) {
  stream costly{[](double, bool cuts) { return cuts ? 14 * us : 10 * us; }};
  costly.step_until(0.1);
  EXPECT_FALSE(costly.plan.cuts_short);
  EXPECT_EQ(costly.changes, 2);
  costly.step_until(20);
  EXPECT_FALSE(costly.plan.cuts_short);
  EXPECT_LE(costly.changes, 2 * 6) << "later trials come when the run is four times as old";
}

TEST(a_cutting_trial, is_given_up_after_some_milliseconds_where_far_fewer_records_enter) {
  stream hopeless{[](double, bool cuts) { return cuts ? 20 * us : 10 * us; }};
  hopeless.step_until(0.1);
  EXPECT_EQ(hopeless.changes, 2);
  EXPECT_LT(hopeless.seconds_cut, 7e-3);
  stream behind{[](double, bool cuts) { return cuts ? 14 * us : 10 * us; }};
  behind.step_until(0.1);
  EXPECT_GT(behind.seconds_cut, 15e-3) << "streams that empty hold records back for a while";
  stream stopped{[](double, bool cuts) { return cuts ? 1.0 : 10 * us; }};
  stopped.step_until(0.1);
  EXPECT_FALSE(stopped.plan.cuts_short);
  EXPECT_LT(stopped.seconds_cut, 7e-3);
}

TEST(a_cutting_trial, needs_a_twentieth_to_cut_and_gives_up_where_inline_boxes_take_as_many_records) {
  stream as_fast{[](double now, bool cuts) { return cuts && now < 0.2 ? 6 * us : 10 * us; }};
  as_fast.step_until(0.1);
  EXPECT_TRUE(as_fast.plan.cuts_short);
  as_fast.step_until(2);
  EXPECT_FALSE(as_fast.plan.cuts_short) << "records come no faster than inline boxes take them";

  stream hardly{[](double, bool cuts) { return cuts ? 9.7 * us : 10 * us; }};
  hardly.step_until(2);
  EXPECT_FALSE(hardly.plan.cuts_short);
}

TEST(a_cutting_trial, does_not_take_a_stream_that_changes_its_pace_for_a_better_plan) {
  stream faster{[](double now, bool) { return now < 0.015 ? 20 * us : 5 * us; }};
  faster.step_until(0.1);
  EXPECT_FALSE(faster.plan.cuts_short);
}

TEST(a_cutting_trial, counts_for_longer_where_few_records_enter) {
  stream heavy{[](double, bool cuts) { return cuts ? 60 * us : 100 * us; }};
  heavy.step_until(0.2);
  EXPECT_TRUE(heavy.plan.cuts_short);
}

TEST(a_cutting_trial, ends_without_findings_where_cores_move_or_something_else_is_tried) {
  stream s{[](double, bool cuts) { return cuts ? 6 * us : 10 * us; }};
  s.step_until(0.025);
  EXPECT_TRUE(s.trial.is_under_way());
  s.step_until(s.now + 1e-3, true);
  EXPECT_FALSE(s.trial.is_under_way());
  EXPECT_FALSE(s.plan.cuts_short);
  s.step_until(s.now + 0.1);
  EXPECT_TRUE(s.plan.cuts_short) << "the next trial needs no pause";
}

TEST(a_cutting_trial, begins_none_for_few_records_or_busy_lanes_or_without_another_plan_or_an_expectation) {
  const auto changes = [](double pace, bool matters, double seconds, double least = 0) {
    stream s{[pace](double, bool) { return pace; }};
    s.plan.cutting_matters = matters;
    s.plan.seconds = seconds;
    s.plan.least_seconds = least;
    s.step_until(5);
    return s.changes;
  };
  EXPECT_GT(changes(10 * us, true, 1 * us), 0);
  EXPECT_EQ(changes(1e-3, true, 1 * us), 0);
  EXPECT_EQ(changes(10 * us, false, 1 * us), 0);
  EXPECT_EQ(changes(10 * us, true, std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(changes(10 * us, true, 1 * us, 9.7 * us), 0) << "the lanes are busy";
  EXPECT_GT(changes(10 * us, true, 1 * us, 9 * us), 0);
}

}  // namespace
}  // namespace weir::detail::cutting_trial_test
