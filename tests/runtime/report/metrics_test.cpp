#include <weir/report/metrics.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/exposition.hpp"

namespace weir {
namespace {

using namespace testing;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

run_report a_report() {
  run_report r;
  r.policy = "adaptive";
  r.machine = "2 cores";
  r.cores = 2;
  r.seconds = 1.5;
  r.foreign_load = 0.75;
  r.sent = 18'446'744'073'709'551'615u;
  r.results = 7;
  r.failed = 3;
  r.failed_by = {{"exception", 2}, {"type", 1}};
  r.network.predicted_latency = unknown;
  r.network.latency_p99 = 0.25;
  r.in_flight = {.records = 3, .limit = 16, .peak = 12, .bytes = 1, .bytes_limit = 0, .bytes_peak = 1};
  r.emitted = 12;
  r.records_ended = 5;
  r.goal = goal_report{.words = "p99 at most 400 ms at 40 records a second", .seconds = 240, .seconds_met = 212};
  r.decisions = {decision{}, decision{}};
  r.decisions[1].reverted = true;
  r.decisions_not_shown = 40;
  r.reverted_not_shown = 9;
  component_report c;
  c.name = "multiply";
  c.cores = 2;
  c.invocations = 10;
  c.total_seconds = 1e-7;
  c.utilisation = unknown;
  c.busy = 0.5;
  r.components = {c};
  stream_report s;
  s.from = "input";
  s.to = "multiply";
  s.records = 10;
  s.capacity = 64;
  r.streams = {s};
  return r;
}

TEST(metrics, keep_the_rules_of_the_text_format_and_have_the_reports_numbers) {
  const std::string text = metrics_text(a_report(), "matmul");
  const exposition e = read_exposition(text);
  EXPECT_EQ(e.problems, std::vector<std::string>{});
  EXPECT_NE(text.find("weir_records_sent_total{run=\"matmul\"} 18446744073709551615\n"), std::string::npos)
      << "integers are exact";
  EXPECT_EQ(e.value("weir_records_results_total"), 7);
  EXPECT_EQ(e.value("weir_records_emitted_total"), 12);
  EXPECT_EQ(e.value("weir_records_ended_total"), 5);
  EXPECT_EQ(e.value("weir_goal_seconds_total"), 240);
  EXPECT_EQ(e.value("weir_goal_met_seconds_total"), 212);
  EXPECT_EQ(metrics_text(run_report(), "none").find("weir_goal"), std::string::npos) << "no goal, no verdict";
  EXPECT_EQ(e.value("weir_failures_total", {{"kind", "exception"}}), 2);
  EXPECT_EQ(e.value("weir_decisions_total"), 42);
  EXPECT_EQ(e.value("weir_foreign_load"), 0.75);
  EXPECT_EQ(e.value("weir_decisions_reverted_total"), 10);
  EXPECT_EQ(e.value("weir_latency_p99_seconds"), 0.25);
  EXPECT_EQ(e.value("weir_component_busy_seconds_total", {{"run", "matmul"}, {"component", "multiply"}}), 1e-7);
  EXPECT_EQ(e.value("weir_records_in_flight"), 3);
  EXPECT_EQ(e.value("weir_records_in_flight_peak"), 12);
  EXPECT_EQ(e.value("weir_records_in_flight_limit"), 16);
  EXPECT_EQ(e.value("weir_component_busy_ratio"), 0.5);
  EXPECT_EQ(e.value("weir_stream_capacity_records", {{"from", "input"}, {"to", "multiply"}}), 64);
  EXPECT_EQ(e.value("weir_run_active"), 1);
}

TEST(metrics, leave_out_what_is_unknown) {
  const std::string text = metrics_text(a_report());
  for (const char* name :
       {"weir_predicted_latency_seconds", "weir_component_utilisation_ratio", "weir_stream_blocked_seconds_total",
        "weir_stream_bytes_total", "weir_bytes_in_flight", "NaN", "nan"})
    EXPECT_EQ(text.find(name), std::string::npos) << name;
}

TEST(metrics, of_several_runs_have_each_family_once_and_each_run_under_a_name_of_its_own) {
  run_report second = a_report();
  second.failed_by.clear();
  second.results = 8;
  const exposition e = read_exposition(metrics_text({{"a", a_report()}, {"a", second}, {"b", a_report()}}));
  EXPECT_EQ(e.problems, std::vector<std::string>{});
  EXPECT_EQ(e.value("weir_records_results_total", {{"run", "a"}}), 7);
  EXPECT_EQ(e.value("weir_records_results_total", {{"run", "a (2)"}}), 8);
  EXPECT_EQ(e.value("weir_records_results_total", {{"run", "b"}}), 7);
}

TEST(metrics, of_no_run_are_an_empty_text) { EXPECT_EQ(metrics_text(std::vector<named_run>{}), ""); }

TEST(metrics, escape_names_and_replace_what_is_no_text) {
  run_report r = a_report();
  r.components[0].name = "a\"b\\c\nd}e{f,g=\"h\" # HELP \xff\xfe";
  r.components.push_back(r.components[0]);
  r.components[1].name = "a\"b\\c\nd}e{f,g=\"h\" # HELP \xfe\xff";
  r.streams[0].to = std::string("\0\r\t\x1b[31m", 8);
  r.policy = "\xc3";
  r.failed_by = {{"<script>", 1}};
  const exposition e = read_exposition(metrics_text(r, "x\"} 1\nweir_records_sent_total{run=\"y"));
  EXPECT_EQ(e.problems, std::vector<std::string>{});
  const std::string name = "a\"b\\c\nd}e{f,g=\"h\" # HELP \xef\xbf\xbd\xef\xbf\xbd";
  EXPECT_EQ(e.value("weir_component_cores", {{"component", name}}), 2);
  EXPECT_EQ(e.value("weir_component_cores", {{"component", name + " (2)"}}), 2) << "alike once they are text";
  EXPECT_EQ(e.value("weir_records_sent_total", {{"run", "x\"} 1\nweir_records_sent_total{run=\"y"}}),
            static_cast<double>(r.sent));
}

TEST(metrics, add_up_streams_that_join_the_same_components) {
  run_report r = a_report();
  r.streams.push_back(r.streams[0]);
  r.streams[1].records = 5;
  r.streams[1].capacity = 0;
  const exposition e = read_exposition(metrics_text(r));
  EXPECT_EQ(e.problems, std::vector<std::string>{});
  EXPECT_EQ(e.value("weir_stream_records_total"), 15);
  EXPECT_EQ(e.value("weir_stream_capacity_records"), std::numeric_limits<double>::infinity());
}

TEST(metrics, are_bounded_and_say_how_much_they_leave_out) {
  run_report r = a_report();
  for (int i = 0; i < 1000; ++i) {
    r.components.push_back(r.components[0]);
    r.components.back().name = "c" + std::to_string(i);
    r.components.back().total_seconds = i;
    r.streams.push_back(r.streams[0]);
    r.streams.back().to = r.components.back().name;
  }
  const exposition e = read_exposition(metrics_text(r));
  EXPECT_EQ(e.problems, std::vector<std::string>{});
  EXPECT_EQ(e.value("weir_components_left_out"), 801);
  EXPECT_EQ(e.value("weir_streams_left_out"), 801);
  EXPECT_EQ(e.value("weir_component_cores", {{"component", "c999"}}), 2) << "those with the most time are there";
  EXPECT_TRUE(std::isnan(e.value("weir_component_cores", {{"component", "c0"}})));
}

}  // namespace
}  // namespace weir
