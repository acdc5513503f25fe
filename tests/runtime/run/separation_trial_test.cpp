#include "runtime/run/separation_trial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace weir::detail {
namespace {

constexpr double us = 1e-6;

// A stream whose records enter at the pace of the plan in force, and the control loop's part: steps, and plans that
// follow the rule.
struct stream {
  double expected_fused, expected_separate;                // seconds between two records
  std::function<double(double now, bool separates)> pace;  // in truth
  separation_trial trial{};
  fusion_plan plan{.fused = {}, .separates_sources = true, .separation_matters = true, .seconds = expected_separate};
  double now = 0, entered = 0;
  int changes = 0;  // of the plan in force

  void step_until(double end) {
    for (double next = now; now < end; now = next) {
      next = std::min({end, trial.due(), now + 1e-3});
      if (next <= now) next = now + 1e-4;
      entered += (next - now) / pace(now, plan.separates_sources);
      trial.take(next, static_cast<std::uint64_t>(entered), plan);
      const separation_rule& rule = trial.rule();
      const double separate = expected_separate + rule.beyond_separate, fused = expected_fused + rule.beyond_fused;
      const bool separates = rule.is_tried.value_or(separate < (plan.separates_sources ? 1 : 0.9) * fused);
      changes += separates != plan.separates_sources;
      plan.separates_sources = separates;
      plan.seconds = separates ? expected_separate : expected_fused;
    }
  }
};

TEST(a_separation_trial, begins_only_where_records_enter_more_slowly_than_expected) {
  stream as_expected{1.2 * us, 0.9 * us, [](double, bool separates) { return separates ? 1 * us : 1.2 * us; }};
  as_expected.step_until(10);
  EXPECT_EQ(as_expected.changes, 0);
  EXPECT_EQ(as_expected.trial.rule(), separation_rule{});
}

TEST(a_separation_trial, changes_the_plan_for_good_where_hand_overs_cost_more_than_expected) {
  stream costly{1.2 * us, 0.9 * us, [](double, bool separates) { return separates ? 2.4 * us : 1.2 * us; }};
  costly.step_until(0.03);
  EXPECT_FALSE(costly.plan.separates_sources);
  EXPECT_NEAR(costly.trial.rule().beyond_separate, 1.5 * us, 0.01 * us);
  EXPECT_NEAR(costly.trial.rule().beyond_fused, 0, 0.01 * us);
  costly.step_until(20);
  EXPECT_FALSE(costly.plan.separates_sources);
  EXPECT_LE(costly.changes, 3 + 2 * 6) << "later trials come when the run is four times as old";
}

TEST(a_separation_trial, leaves_the_plan_of_a_slow_source_and_tries_it_ever_more_seldom) {
  stream slow{1.2 * us, 0.9 * us, [](double, bool separates) { return separates ? 5 * us : 6 * us; }};
  double separate = 0;
  int trials = 0;
  for (double end = 0.01; end < 30; end += 0.01) {
    const int before = slow.changes;
    slow.step_until(end);
    trials += slow.changes > before && !slow.plan.separates_sources;
    separate += slow.plan.separates_sources ? 0.01 : 0;
  }
  EXPECT_TRUE(slow.plan.separates_sources);
  EXPECT_LE(trials, 6);
  EXPECT_GT(separate, 0.99 * 30);
}

// The source sped up while the other plan was in force, and is as fast under the present one.
TEST(a_separation_trial, does_not_take_a_source_that_changes_its_pace_for_a_better_plan) {
  stream faster{1.2 * us, 0.9 * us, [](double now, bool) { return now < 8e-3 ? 4 * us : 2 * us; }};
  faster.step_until(0.09);
  EXPECT_GE(faster.changes, 2) << "a trial was made";
  EXPECT_TRUE(faster.plan.separates_sources);
}

TEST(a_separation_trial, gives_the_other_plan_another_chance) {
  stream once{1.2 * us, 0.9 * us,
              [](double now, bool separates) { return separates && now < 0.05 ? 3 * us : 1.2 * us; }};
  once.step_until(0.04);
  EXPECT_FALSE(once.plan.separates_sources) << "another process took the second core";
  once.pace = [](double, bool separates) { return separates ? 0.9 * us : 1.2 * us; };
  once.step_until(1);
  EXPECT_TRUE(once.plan.separates_sources);
}

// The other plan lets less than 200 records enter in a window, and nothing is learnt about it.
TEST(a_separation_trial, without_findings_comes_again_as_seldom_as_others) {
  stream slower{5 * us, 4 * us, [](double, bool separates) { return separates ? 10 * us : 40 * us; }};
  slower.step_until(30);
  EXPECT_TRUE(slower.plan.separates_sources);
  EXPECT_GE(slower.changes, 2);
  EXPECT_LE(slower.changes, 2 * 6);
  EXPECT_EQ(slower.trial.rule(), separation_rule{});
}

TEST(a_separation_trial, ends_without_findings_where_cores_move) {
  stream moved{1.2 * us, 0.9 * us, [](double, bool separates) { return separates ? 2.4 * us : 1.2 * us; }};
  while (!moved.trial.rule().is_tried) moved.step_until(moved.now + 1e-3);
  moved.trial.take(moved.now, static_cast<std::uint64_t>(moved.entered), moved.plan, true);
  EXPECT_EQ(moved.trial.rule(), separation_rule{});
}

TEST(a_separation_trial, begins_none_for_few_records_or_without_another_plan_or_an_expectation) {
  const auto slow = [](double, bool) { return 100 * us; };
  stream few{1.2 * us, 0.9 * us, slow};
  few.step_until(1);
  EXPECT_EQ(few.changes, 0);
  stream alone{1.2 * us, 0.9 * us, [](double, bool) { return 10 * us; }};
  alone.plan.separation_matters = false;
  alone.step_until(1);
  EXPECT_EQ(alone.changes, 0);
  stream unknown{1.2 * us, std::numeric_limits<double>::quiet_NaN(), [](double, bool) { return 10 * us; }};
  for (; unknown.now < 0.1; unknown.now += 1e-3) {
    unknown.entered += 100;
    unknown.trial.take(unknown.now, static_cast<std::uint64_t>(unknown.entered), unknown.plan);
  }
  EXPECT_EQ(unknown.trial.rule(), separation_rule{});
}

}  // namespace
}  // namespace weir::detail
