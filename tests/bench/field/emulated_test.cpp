#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include <weir/weir.hpp>

#include "bench/field/slow_writer/ways.hpp"
#include "bench/field/two_stages/ways.hpp"

namespace weir::field_bench {
namespace {

TEST(field_two_stages, every_way_lets_each_record_through_once) {
  two_stages::setting what;
  what.cores = 8, what.first = 0.002, what.second = 0.003, what.slow_start = 0.01, what.records = 200;
  EXPECT_EQ(two_stages::by_weir(what, adaptive{objective::throughput}).ends.size(), 200U);
  EXPECT_EQ(two_stages::by_weir(what, adaptive{objective::throughput}, true).ends.size(), 200U);
  EXPECT_EQ(two_stages::by_weir(what, fixed_shares{}).ends.size(), 200U);
  EXPECT_EQ(two_stages::by_pipeline(what).ends.size(), 200U);
  EXPECT_EQ(two_stages::by_threads(what).ends.size(), 200U);
  const two_stages::outcome fixed = two_stages::by_weir(what, fixed_shares{{"first", 3, 3}, {"second", 5, 5}});
  EXPECT_EQ(fixed.division, (std::vector<int>{3, 5}));
  EXPECT_EQ(fixed.ends.size(), 200U);
}

// --report of either program: what `weir view` draws knows the stages.
TEST(field_reports, name_each_stage) {
  two_stages::setting two;
  two.cores = 4, two.first = two.second = 0.001, two.records = 20;
  slow_writer::setting slow;
  slow.events = 10, slow.event_bytes = 1000, slow.work_seconds = slow.write_seconds = 0.001;
  for (const auto& [report, stage] :
       {std::pair(two_stages::by_weir(two, adaptive{objective::throughput}).report, "first"),
        std::pair(two_stages::by_weir(two, adaptive{objective::throughput}).report, "second"),
        std::pair(slow_writer::weir_report(slow), "work"), std::pair(slow_writer::weir_report(slow), "write")}) {
    const auto read = nlohmann::json::parse(report);
    EXPECT_TRUE(std::ranges::any_of(read["components"], [&](const auto& c) { return c["name"] == stage; })) << stage;
  }
  EXPECT_EQ(two_stages::by_threads(two).report, "") << "no run of weir";
}

TEST(field_two_stages, the_best_division_has_the_highest_rate_of_the_slower_stage) {
  const two_stages::setting published;  // 0.17 and 0.21 s on 128 cores
  EXPECT_EQ(published.best_division(), (std::vector<int>{57, 71}));
  EXPECT_NEAR(published.best_rate(), 57 / 0.17, 1e-9);
}

TEST(field_two_stages, it_is_balanced_from_when_all_windows_but_the_last_have_the_rate) {
  two_stages::outcome seen;
  for (int i = 0; i < 40; ++i) seen.ends.push_back(0.1 * i + 0.05);  // 10 a second for 4 s
  for (int i = 0; i < 80; ++i) seen.ends.push_back(4 + 0.05 * i);    // then 20 a second for 4 s
  for (int i = 0; i <= 20; ++i) seen.ends.push_back(8 + 0.1 * i);    // it empties
  EXPECT_EQ(seen.until_balanced(20), 4);
  EXPECT_EQ(seen.until_balanced(10), 0);
  EXPECT_TRUE(std::isnan(seen.until_balanced(30)));
}

TEST(field_slow_writer, every_way_writes_each_event_and_limits_bound_the_events_alive) {
  slow_writer::setting what;
  what.events = 60, what.event_bytes = 100'000, what.work_seconds = 0.001, what.write_seconds = 0.004;
  what.most_in_flight = 10;
  for (const std::string& name : slow_writer::way_names()) {
    SCOPED_TRACE(name);
    const slow_writer::outcome seen = slow_writer::run_here(name, what);
    EXPECT_EQ(seen.written, 60);
    EXPECT_GT(seen.peak_mb, 0);
    if (name.find("max") != std::string::npos || name.find("limiter") != std::string::npos) {
      EXPECT_LE(seen.peak_mb, 0.1 * (what.most_in_flight + 2)) << "and one that is being made";
    }
    if (name == "pipeline") {
      EXPECT_LE(seen.peak_mb, 0.1 * what.writers + 1e-9);
    }
  }
}

}  // namespace
}  // namespace weir::field_bench
