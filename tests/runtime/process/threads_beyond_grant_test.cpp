#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include <weir/report/metrics.hpp>
#include <weir/weir.hpp>
#include "runtime/machine/child_threads.hpp"
#include "tests/runtime/process/worker_boxes.hpp"
#include "tests/runtime/process/worker_runs.hpp"
#include "tests/support/exposition.hpp"
#include "tests/support/json.hpp"
#include "tests/support/log_lines.hpp"

// Processes that compute on more threads than their box was granted cores are named wherever a run tells of itself, and
// those that do not are named nowhere.
namespace weir::testing {
namespace {

enum class kind { command, worker, isolated };

// A process that computes on n threads, and then gives n = 1.
network crowd(kind what, const std::string& name) {
  switch (what) {
    case kind::command:
      return command(name, takes(n), gives(n), {WEIR_CPP_WORKER, "--compute", n}).output(n);
    case kind::worker:
      return worker(name, takes(n), gives(n), {WEIR_CPP_WORKER});
    default:
      return isolated(box(name, takes(n), gives(n), compute_on));
  }
}

class threads_of_processes : public leaves_no_child, public ::testing::WithParamInterface<kind> {};

// Sends records until the report names the first box, which happens at one of the looks that a run has four times a
// second; false: within a minute none did.
bool is_named(execution& run) {
  constexpr int together = 10;  // so that the box has always something to do
  for (int i = 0; i < together; ++i) run.send(n = 4);
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  for (auto result = run.begin(); run.report().components.at(0).own_threads == 0; ++result) {
    if (std::chrono::steady_clock::now() > end) return false;
    run.send(n = 4);
  }
  return true;
}

TEST_P(threads_of_processes, beyond_the_grant_are_named_in_the_report_the_metrics_the_page_and_the_log) {
  const log_lines logged;
  options o;
  o.policy = fixed_shares{{"crowd", 1}};
  execution run = start(crowd(GetParam(), "crowd") >> crowd(GetParam(), "lonely"), o);
  ASSERT_TRUE(is_named(run));
  run.close();
  run.wait();
  const run_report report = run.report();
  const component_report &crowded = report.components.at(0), &lonely = report.components.at(1);
  EXPECT_GT(crowded.cores_beyond_grant, 0.25);
  EXPECT_EQ(lonely.own_threads, 0) << "its processes computed on one thread";
  EXPECT_EQ(lonely.cores_beyond_grant, 0);

  for (const std::string& text : {report.brief(), report.full()}) {
    EXPECT_TRUE(has(text, "crowd computes on threads of its own")) << text;
    EXPECT_FALSE(has(text, "lonely computes on threads of its own")) << text;
  }
  const nlohmann::json data = parsed(report.json()).at("components");
  EXPECT_EQ(data.at(0).at("own_threads"), crowded.own_threads);
  EXPECT_GT(data.at(0).at("cores_beyond_grant"), 0.25);
  EXPECT_EQ(data.at(1).at("own_threads"), 0);
  EXPECT_TRUE(has(report.html(), "\"own_threads\":" + std::to_string(crowded.own_threads))) << "the page's data";
  const exposition metrics = read_exposition(metrics_text(report));
  EXPECT_EQ(metrics.value("weir_component_own_threads", {{"component", "crowd"}}), crowded.own_threads);
  EXPECT_GT(metrics.value("weir_component_cores_beyond_grant", {{"component", "crowd"}}), 0.25);
  EXPECT_EQ(metrics.value("weir_component_own_threads", {{"component", "lonely"}}), 0);
  EXPECT_EQ(logged.with("crowd computes on threads of its own").size(), 1u);
  EXPECT_EQ(logged.with("limit them by cores_granted").size(), 1u);
}

// A shell and the program that it has just started both have work; a process that computes on four threads for five
// milliseconds is seen nevertheless.
TEST(the_demand_of_a_process, counts_by_its_age_in_the_first_milliseconds) {
  const auto beyond = [](double cores, double seconds) {
    return detail::child_threads::demand{cores, 2, seconds}.beyond(1);
  };
  EXPECT_DOUBLE_EQ(beyond(2, 0.001), 0.1);
  EXPECT_DOUBLE_EQ(beyond(4, 0.0025), 0.75);
  EXPECT_DOUBLE_EQ(beyond(2, 0.01), 1);
  EXPECT_DOUBLE_EQ(beyond(2, 0.25), 1);
  EXPECT_DOUBLE_EQ(beyond(0.5, 0.25), 0) << "less than is granted";
}

std::string name_of(const ::testing::TestParamInfo<kind>& at) {
  if (at.param == kind::command) return "a_command";
  return at.param == kind::worker ? "a_worker" : "a_host";
}
INSTANTIATE_TEST_SUITE_P(of, threads_of_processes, ::testing::Values(kind::command, kind::worker, kind::isolated),
                         name_of);

}  // namespace
}  // namespace weir::testing
