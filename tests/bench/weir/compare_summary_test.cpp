#include "bench/weir/compare/compare_summary.hpp"

#include <gtest/gtest.h>

namespace weir::program {
namespace {

compare_plan plan_for(const std::string& policies, const std::string& objective = "throughput") {
  compare_options typed;
  typed.objective = objective;
  typed.workload = "sykora";
  typed.policies = policies;
  typed.repeat = 3;
  return plan_of(typed);
}

// A made-up run of ten records in `seconds`.
timed_run made_run(const std::string& name, const std::string& text, int round, double seconds) {
  timed_run run;
  run.name = name;
  run.text = text;
  run.round = round;
  run.seconds = seconds;
  for (int i = 1; i <= 10; ++i) run.latencies.push_back(0.1 * i);
  return run;
}

TEST(compared_rows, are_medians_and_ratios_within_the_same_round) {
  const compare_plan plan = plan_for("equal,adaptive");
  std::vector<timed_run> runs;
  const double equal[] = {1, 2, 4}, adaptive[] = {0.5, 2, 2};
  for (int i = 0; i < 3; ++i) {
    runs.push_back(made_run("equal", "equal", i + 1, equal[i]));
    runs.push_back(made_run("adaptive", "adaptive", i + 1, adaptive[i]));
  }
  const std::vector<policy_row> rows = compared_rows(plan, runs);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "equal");
  EXPECT_DOUBLE_EQ(rows[0].throughput, 5);
  EXPECT_DOUBLE_EQ(rows[0].least, 2.5);
  EXPECT_DOUBLE_EQ(rows[0].most, 10);
  EXPECT_DOUBLE_EQ(rows[0].to_baseline.low, 1);
  EXPECT_DOUBLE_EQ(rows[0].to_baseline.high, 1);
  EXPECT_DOUBLE_EQ(rows[1].to_baseline.median, 2);  // of 2, 1 and 2
  EXPECT_DOUBLE_EQ(rows[1].to_baseline.low, 1);
  EXPECT_FALSE(rows[1].to_best_fixed);
  EXPECT_DOUBLE_EQ(rows[1].latency_mean, 0.55);
  EXPECT_DOUBLE_EQ(rows[1].latency_p50, 0.55);
  EXPECT_FALSE(rows[1].moves) << "a run without decisions was not one of weir";
}

TEST(compared_rows, show_of_several_fixed_divisions_the_best_median) {
  const compare_plan plan = plan_for("equal,best-fixed");
  std::vector<timed_run> runs;
  const double good[] = {2, 2, 2}, lucky_once[] = {1, 5, 5};
  for (int i = 0; i < 3; ++i) {
    runs.push_back(made_run("equal", "equal", i + 1, 4));
    runs.push_back(made_run("best-fixed", "fixed:none=1", i + 1, lucky_once[i]));
    runs.push_back(made_run("best-fixed", "fixed:all=2", i + 1, good[i]));
  }
  const std::vector<policy_row> rows = compared_rows(plan, runs);
  EXPECT_EQ(rows[1].text, "fixed:all=2");
  EXPECT_EQ(rows[1].candidates, 2u);
  EXPECT_DOUBLE_EQ(rows[1].throughput, 5);
  ASSERT_TRUE(rows[0].to_best_fixed);
  EXPECT_DOUBLE_EQ(rows[0].to_best_fixed->median, 0.5);
}

// For an objective of latency, twice the throughput is no gain, but half the latency is.
TEST(compared_rows, for_latency_are_ratios_of_mean_latencies) {
  const compare_plan plan = plan_for("equal,adaptive", "latency");
  std::vector<timed_run> runs;
  for (int i = 0; i < 3; ++i) {
    runs.push_back(made_run("equal", "equal", i + 1, 1));
    runs.push_back(made_run("adaptive", "adaptive", i + 1, 2));
    for (double& latency : runs.back().latencies) latency /= 2;
  }
  const std::vector<policy_row> rows = compared_rows(plan, runs);
  EXPECT_DOUBLE_EQ(rows[0].to_baseline.median, 1);
  EXPECT_DOUBLE_EQ(rows[1].to_baseline.median, 2);
}

// Two whole rounds of two policies, and one run of the third round, which was the last before Ctrl-C.
TEST(keep_complete_rounds, drops_what_ran_of_a_round_that_was_cut_short) {
  compare_plan plan = plan_for("equal,adaptive");
  std::vector<timed_run> runs;
  for (int round = 1; round <= 2; ++round)
    for (const char* name : {"equal", "adaptive"}) runs.push_back(made_run(name, name, round, 1));
  runs.push_back(made_run("equal", "equal", 3, 1));
  keep_complete_rounds(plan, runs, 10);
  EXPECT_TRUE(plan.interrupted);
  EXPECT_EQ(plan.rounds, 2);
  EXPECT_EQ(runs.size(), 4u);
  EXPECT_EQ(plan.rows.size(), 2u);
}

TEST(keep_complete_rounds, keeps_the_runs_of_a_first_round_and_the_policies_that_ran) {
  compare_plan plan = plan_for("equal,adaptive");
  std::vector<timed_run> runs{made_run("equal", "equal", 1, 1), made_run("adaptive", "adaptive", 1, 1)};
  runs.back().latencies.resize(3);  // of ten records
  keep_complete_rounds(plan, runs, 10);
  EXPECT_EQ(plan.rounds, 1);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(plan.rows, std::vector<std::string>{"equal"});
}

TEST(keep_complete_rounds, keeps_all_runs_that_were_not_cut_short) {
  compare_plan plan = plan_for("equal");
  std::vector<timed_run> runs;
  for (int round = 1; round <= 3; ++round) runs.push_back(made_run("equal", "equal", round, 1));
  keep_complete_rounds(plan, runs, 10);
  EXPECT_FALSE(plan.interrupted);
  EXPECT_EQ(runs.size(), 3u);
}

// For a constant cost only the first observation is a surprise, and observations right after a move do not count.
TEST(foresight_errors, are_those_of_predictions_before_the_update) {
  const compare_plan plan = plan_for("equal");
  timed_run run = made_run("equal", "equal", 1, 1);
  run.report.names = {"box"};
  run.models["box"].degree = 1;
  for (int i = 0; i < 5; ++i) run.observations.push_back({.x = 100, .cores = 1, .seconds = 0.1});
  run.observations.push_back({.x = 100, .cores = 1, .seconds = 7, .after_move = true});
  run.observations.push_back({.x = 100, .cores = 1, .seconds = 0.2});
  const std::vector<double> errors = foresight_errors(plan, run);
  ASSERT_EQ(errors.size(), 5u);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(errors[static_cast<std::size_t>(i)], 0, 1e-6);
  EXPECT_NEAR(errors[4], 50, 1e-6);
}

}  // namespace
}  // namespace weir::program
