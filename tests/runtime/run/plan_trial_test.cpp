#include "runtime/run/plan_trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>

namespace weir::detail::plan_trial_test {
namespace {

constexpr double us = 1e-6;

// The plan in force.
struct laid_out {
  bool separates = false, cuts = false, one_lane = false;
  bool operator==(const laid_out&) const = default;
};

// A stream whose records enter at the pace of the plan in force, and the control loop's part: steps, and plans that
// follow the trial.
struct stream {
  std::function<double(double now, const laid_out&)> pace;  // seconds between two records
  bool separation_matters = false, cutting_matters = false, lanes_matter = false;
  double least = 0;  // of any other plan
  bool expects_separation = false;
  double seconds = 1 * us;  // expected
  plan_trial trial{};
  laid_out in_force{};
  double now = 0, entered = 0;
  bool is_complete = true;
  int changes = 0;          // of the plan in force
  double seconds_else = 0;  // under another plan than the usual one

  fusion_plan plan() const {
    fusion_plan made;
    made.separates_sources = in_force.separates;
    made.cuts_short = in_force.cuts;
    made.seconds = seconds;
    if (separation_matters) made.least_if_separated_otherwise = least;
    if (cutting_matters) made.least_if_cut = least;
    if (lanes_matter) made.least_on_one_lane = least;
    return made;
  }

  void follow() {
    const plan_choice& choice = trial.choice();
    const laid_out next{separation_matters && choice.separates.value_or(expects_separation),
                        cutting_matters && choice.cuts_short, choice.one_lane};
    changes += next != in_force;
    in_force = next;
  }

  // Steps come when they are due. is_silent: no invocation ends, so only looks lead to steps.
  void step_until(double end, bool is_disturbed = false, bool is_silent = false) {
    for (double next = now; now < end; now = next) {
      next = is_silent ? trial.look_due() : std::min(trial.due(), now + 1e-3);
      next = std::min(end, std::max(next, now + 1e-4));
      entered += (next - now) / pace(now, in_force);
      if (in_force != laid_out{}) seconds_else += next - now;
      const auto count = static_cast<std::uint64_t>(entered);
      if (is_silent && !trial.look(next, count)) continue;
      trial.take(next, count, plan(), is_complete, is_disturbed);
      EXPECT_GT(trial.due(), next) << "steps follow each other without a pause";
      EXPECT_GT(trial.look_due(), next) << "so do looks";
      follow();
    }
  }
};

stream with_cuts(std::function<double(double now, bool cuts)> pace) {
  stream s;
  s.pace = [pace](double now, const laid_out& in) { return pace(now, in.cuts); };
  s.cutting_matters = true;
  return s;
}

TEST(a_plan_trial, keeps_the_plan_under_which_most_records_enter) {
  stream s = with_cuts([](double, bool cuts) { return cuts ? 6 * us : 10 * us; });
  EXPECT_FALSE(s.trial.choice().cuts_short);
  s.step_until(0.1);
  EXPECT_TRUE(s.in_force.cuts);
  EXPECT_EQ(s.changes, 5) << "tried, taken back to compare, kept; the other tried once more, and left";
}

TEST(a_plan_trial, takes_the_best_of_several_and_then_asks_for_a_second_change) {
  stream s;
  s.separation_matters = s.lanes_matter = true;
  s.pace = [](double, const laid_out& in) {
    return (in.separates ? 2.5 : 4) * us * (in.one_lane ? (in.separates ? 0.5 : 0.9) : 1);
  };
  s.step_until(0.15);
  EXPECT_EQ(s.in_force, (laid_out{true, false, false})) << "lanes are not tried in a short run";
  s.step_until(0.8);
  EXPECT_EQ(s.in_force, (laid_out{true, false, true})) << "separated 2.5 us, and on one lane 1.25";
  s.step_until(20);
  EXPECT_EQ(s.in_force, (laid_out{true, false, true}));
}

TEST(a_plan_trial, overrules_an_expectation) {
  stream costly;
  costly.separation_matters = costly.expects_separation = true;
  costly.in_force.separates = true;
  costly.pace = [](double, const laid_out& in) { return in.separates ? 2.4 * us : 1.2 * us; };
  costly.step_until(0.1);
  EXPECT_FALSE(costly.in_force.separates);
  EXPECT_EQ(costly.trial.choice().separates, false);
  costly.step_until(20);
  EXPECT_FALSE(costly.in_force.separates);
}

TEST(a_plan_trial, comes_ever_more_seldom) {
  stream costly = with_cuts([](double, bool cuts) { return cuts ? 14 * us : 10 * us; });
  costly.step_until(0.1);
  EXPECT_EQ(costly.changes, 2);
  costly.step_until(20);
  EXPECT_FALSE(costly.in_force.cuts);
  EXPECT_LE(costly.changes, 2 * 6) << "later trials come when the run is four times as old";
}

TEST(a_plan_trial, comes_earlier_where_records_enter_at_another_pace) {
  for (const double change : {0.5, 2.0}) {
    stream s = with_cuts([&](double now, bool cuts) {
      const double usual = now < 2 ? 10 * us : 10 * us * change;
      return cuts ? (now < 2 ? 14 * us : usual * 0.7) : usual;
    });
    s.step_until(2);
    EXPECT_FALSE(s.in_force.cuts);
    s.step_until(3.5);
    EXPECT_TRUE(s.in_force.cuts) << "the last trial was at 1 to 2 s: the next was due at 4 s";
  }
}

TEST(a_plan_trial, is_given_up_after_some_milliseconds_where_far_fewer_records_enter) {
  const auto seconds_cut = [](double pace) {
    stream s = with_cuts([pace](double, bool cuts) { return cuts ? pace : 10 * us; });
    s.step_until(0.1);
    EXPECT_FALSE(s.in_force.cuts);
    EXPECT_EQ(s.changes, 2);
    return s.seconds_else;
  };
  EXPECT_LT(seconds_cut(20 * us), 7e-3);
  EXPECT_GT(seconds_cut(14 * us), 15e-3) << "streams that empty hold records back for a while";
  EXPECT_LT(seconds_cut(1.0), 7e-3);
}

TEST(a_plan_trial, needs_a_twentieth_and_gives_up_cuts_and_lanes_that_gain_nothing) {
  stream as_fast = with_cuts([](double now, bool cuts) { return cuts && now < 0.2 ? 6 * us : 10 * us; });
  as_fast.step_until(0.1);
  EXPECT_TRUE(as_fast.in_force.cuts);
  as_fast.step_until(3);
  EXPECT_FALSE(as_fast.in_force.cuts) << "records come no faster than inline boxes take them";

  stream one_lane;
  one_lane.lanes_matter = true;
  one_lane.pace = [](double now, const laid_out& in) { return in.one_lane && now < 0.5 ? 6 * us : 10 * us; };
  one_lane.step_until(0.4);
  EXPECT_TRUE(one_lane.in_force.one_lane);
  one_lane.step_until(5);
  EXPECT_FALSE(one_lane.in_force.one_lane);

  stream hardly = with_cuts([](double, bool cuts) { return cuts ? 9.7 * us : 10 * us; });
  hardly.step_until(2);
  EXPECT_FALSE(hardly.in_force.cuts);
}

TEST(a_plan_trial, does_not_take_a_stream_that_changes_its_pace_for_a_better_plan) {
  stream faster = with_cuts([](double now, bool) { return now < 0.015 ? 20 * us : 5 * us; });
  faster.step_until(0.1);
  EXPECT_EQ(faster.changes, 2);
  EXPECT_FALSE(faster.in_force.cuts);
}

TEST(a_plan_trial, counts_for_longer_where_few_records_enter) {
  stream heavy = with_cuts([](double, bool cuts) { return cuts ? 60 * us : 100 * us; });
  heavy.step_until(0.2);
  EXPECT_TRUE(heavy.in_force.cuts);
}

TEST(a_plan_trial, ends_without_findings_where_cores_move) {
  stream s = with_cuts([](double, bool cuts) { return cuts ? 6 * us : 10 * us; });
  s.step_until(0.025);
  EXPECT_TRUE(s.trial.is_under_way());
  s.step_until(s.now + 1e-3, true);
  EXPECT_FALSE(s.trial.is_under_way());
  EXPECT_FALSE(s.in_force.cuts);
  s.step_until(s.now + 0.1);
  EXPECT_TRUE(s.in_force.cuts) << "the next trial needs no pause";
}

TEST(a_plan_trial, leaves_out_plans_that_cannot_be_faster_and_needs_records_and_an_expectation) {
  const auto changes = [](double pace, bool matters, double seconds, double least = 0) {
    stream s = with_cuts([pace](double, bool) { return pace; });
    s.cutting_matters = matters;
    s.seconds = seconds;
    s.least = least;
    s.step_until(5);
    return s.changes;
  };
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  EXPECT_GT(changes(10 * us, true, 1 * us), 0);
  EXPECT_EQ(changes(1e-3, true, 1 * us), 0);
  EXPECT_EQ(changes(10 * us, false, 1 * us), 0);
  EXPECT_EQ(changes(10 * us, true, unknown), 0);
  EXPECT_EQ(changes(10 * us, true, 1 * us, 9.7 * us), 0) << "the lanes are busy";
  EXPECT_EQ(changes(10 * us, true, 1 * us, unknown), 0);
  EXPECT_GT(changes(10 * us, true, 1 * us, 9 * us), 0);
}

// An initialiser waits for what its own records do, and keeps the lane that these need.
TEST(a_plan_trial, gives_up_one_lane_where_records_stop_entering_though_nothing_is_observed) {
  stream s;
  s.lanes_matter = true;
  bool waits = false;
  s.pace = [&](double, const laid_out& in) { return in.one_lane ? (waits ? 1e3 : 1 * us) : 2 * us; };
  s.step_until(0.4);
  EXPECT_TRUE(s.in_force.one_lane);
  waits = true;
  s.step_until(s.now + 0.035, false, true);
  EXPECT_FALSE(s.in_force.one_lane);
  s.step_until(s.now + 0.1);
  EXPECT_FALSE(s.in_force.one_lane) << "the next trial is far away";
}

TEST(a_plan_trial, keeps_one_lane_whose_thread_another_process_stopped_for_some_milliseconds) {
  stream s;
  s.lanes_matter = true;
  bool is_stopped = false;
  s.pace = [&](double, const laid_out& in) { return is_stopped ? 1e3 : in.one_lane ? 1 * us : 2 * us; };
  s.step_until(0.4);
  EXPECT_TRUE(s.in_force.one_lane);
  is_stopped = true;
  s.step_until(s.now + 9e-3, false, true);
  is_stopped = false;
  s.step_until(s.now + 0.1);
  EXPECT_TRUE(s.in_force.one_lane);
}

TEST(a_plan_trial, on_one_lane_ends_though_nothing_is_observed) {
  stream s;
  s.lanes_matter = true;
  s.pace = [](double, const laid_out& in) { return in.one_lane ? 1e3 : 2 * us; };
  while (!s.in_force.one_lane && s.now < 1) s.step_until(s.now + 1e-3);
  ASSERT_TRUE(s.in_force.one_lane);
  s.step_until(s.now + 7e-3, false, true);
  EXPECT_FALSE(s.in_force.one_lane);
}

TEST(a_plan_trial, counts_nothing_before_a_plan_is_complete) {
  stream s = with_cuts([](double, bool cuts) { return cuts ? 6 * us : 10 * us; });
  s.is_complete = false;
  s.step_until(1);
  EXPECT_EQ(s.changes, 0);
  s.is_complete = true;
  while (!s.in_force.cuts && s.now < 2) s.step_until(s.now + 1e-3);
  s.is_complete = false;
  s.step_until(s.now + 0.04);
  EXPECT_TRUE(s.in_force.cuts) << "its entities are being fused";
  s.step_until(s.now + 0.02);
  EXPECT_FALSE(s.in_force.cuts) << "that takes too long";
}

TEST(a_plan_trial, takes_one_lane_with_an_initialiser_fused_at_the_same_time) {
  stream s;
  s.separation_matters = s.lanes_matter = s.expects_separation = true;
  s.in_force.separates = true;
  s.pace = [](double, const laid_out& in) {
    return (in.separates ? (in.one_lane ? 9 : 6) : (in.one_lane ? 3 : 7)) * us;
  };
  s.step_until(0.6);
  EXPECT_EQ(s.in_force, (laid_out{false, false, true})) << "either change alone is slower";
}

TEST(a_plan_trial, needs_no_looks_otherwise) {
  stream s = with_cuts([](double, bool cuts) { return cuts ? 6 * us : 10 * us; });
  s.step_until(0.3);
  EXPECT_TRUE(s.in_force.cuts);
  EXPECT_FALSE(s.trial.is_under_way());
  EXPECT_EQ(s.trial.look_due(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace weir::detail::plan_trial_test
