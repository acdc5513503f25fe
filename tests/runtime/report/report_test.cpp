#include <weir/report/report.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/random_grants.hpp"
#include "tests/runtime/report/a_report.hpp"
#include "tests/runtime/support/virtual_time.hpp"
#include "tests/support/json.hpp"

namespace weir::report_test {
namespace {

using nlohmann::json;

TEST_F(a_report, shows_the_name_of_a_component_in_one_line_whatever_characters_it_has) {
  execution run = start(box("two\nlines\x1b[2J", takes(n), gives_none, [](std::int64_t) {}), four_cores());
  run.close();
  run.wait();
  const run_report r = run.report();
  EXPECT_EQ(r.components.at(0).name, "two\nlines\x1b[2J") << "data for programs is as it was given";
  for (const std::string& text : {r.brief(), r.full()}) {
    EXPECT_NE(text.find(R"(two\nlines\x1b[2J)"), std::string::npos) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << "an escape would move a terminal's cursor: " << text;
  }
  hang of_it;
  of_it.component = "two\nlines";
  of_it.seconds = 3;
  EXPECT_EQ(to_string(of_it).rfind(R"(two\nlines has been running for 3 s)", 0), 0u) << to_string(of_it);
}

// A line break in a name of the user's begins no line of the text.
TEST_F(a_report, shows_every_name_in_one_line) {
  const std::string odd = "two\nlines";
  run_report r;
  r.resources = {{odd, 2, 1, 1}};
  r.devices.resize(1);
  r.devices[0].device = r.devices[0].component = odd;
  r.network.bottleneck = odd;
  r.components.resize(1);
  r.components[0].name = odd;
  r.components[0].own_threads = r.components[0].most_together = 2;
  r.components[0].process_overhead = 1;
  r.components[0].resource_waits = 1;
  r.links = {{odd, odd, 1}};
  r.streams.resize(1);
  r.streams[0].from = r.streams[0].to = odd;
  r.streams[0].predicted = 1;
  r.ranks.resize(1);
  r.ranks[0].components.resize(1);
  r.ranks[0].components[0].component = odd;
  r.names = {odd};
  r.decisions.resize(1);
  r.decisions[0].to.components.resize(1);
  for (const std::string& text : {r.brief(), r.full()}) EXPECT_EQ(text.find(odd), std::string::npos) << text;
  EXPECT_NE(r.full().find(R"(two\nlines -> two\nlines)"), std::string::npos) << r.full();
  EXPECT_NE(r.full().find(" 1 place "), std::string::npos) << r.full();
}

TEST_F(a_report, counts_every_record_and_every_invocation_once_the_run_is_drained) {
  for (const std::size_t capacity : {1u, 0u}) {
    options o = four_cores();
    o.on_error = on_error::collect;
    o.capacity = capacity;
    execution run = start(counted(), o);
    for (int i = 0; i < 1000; ++i) run.send(n = i, k = i);
    run.close();
    EXPECT_EQ(all_of(run).size(), 900u);
    const run_report r = run.report();
    EXPECT_EQ(r.sent, 1000u);
    EXPECT_EQ(r.results, 900u);
    EXPECT_EQ(r.failed, 100u);
    EXPECT_EQ(r.dropped, 0u);
    EXPECT_EQ(of(r, "work").invocations, 1000u);
    EXPECT_EQ(of(r, "even").invocations, 1000u);
    EXPECT_EQ(of(r, "twice").invocations, 500u);
    EXPECT_EQ(of(r, "fails").invocations, 1000u);
    EXPECT_EQ(of(r, "fails").failures, 100u);
    EXPECT_EQ(of(r, "count").invocations, 1900u) << "at both of its places";
    EXPECT_EQ(of(r, "count").failures, 0u);
    EXPECT_EQ(r.components.size(), 5u);
    ASSERT_FALSE(r.streams.empty());
    EXPECT_EQ(r.streams.front().from, "input");
    EXPECT_EQ(r.streams.back().to, "output");
    EXPECT_EQ(r.streams.front().records, 1000u);
    EXPECT_EQ(r.streams.back().records, 900u);
    for (std::size_t i = 0; capacity && i + 1 < r.streams.size(); ++i) EXPECT_LE(r.streams[i].peak, capacity);
    for (const stream_report& each : r.streams) {
      EXPECT_GE(each.occupancy, 0);
      EXPECT_LE(each.occupancy, static_cast<double>(each.peak));
      EXPECT_GE(each.blocked_seconds, 0);
      EXPECT_LE(each.blocked_seconds, r.seconds) << each.from << " -> " << each.to;
    }
    EXPECT_EQ(r.failures.size(), 100u);
  }
}

TEST(a_report_of_a_machine, mentions_a_foreign_load_that_misleads_and_only_such) {
  const std::string words = "other processes had 70 % of the cores";
  run_report r;
  for (const double load : {0.7, 0.699}) {
    r.foreign_load = load;
    EXPECT_NE(r.brief().find(words), std::string::npos) << r.brief();
    EXPECT_NE(r.full().find(words), std::string::npos) << r.full();
  }
  for (const double load : {0.0, 0.099, std::numeric_limits<double>::quiet_NaN()}) {
    r.foreign_load = load;
    EXPECT_EQ(r.brief().find("other processes"), std::string::npos) << r.brief();
    EXPECT_EQ(r.full().find("other processes"), std::string::npos);
  }
  EXPECT_TRUE(json::parse(r.json()).at("foreign_load").is_null());
  r.foreign_load = 0.25;
  r.history = {{.time = 1, .seconds = 1, .foreign = 0.5}, {.time = 2, .seconds = 1}};
  const json j = json::parse(r.json());
  EXPECT_EQ(j.at("foreign_load"), 0.25);
  EXPECT_EQ(j.at("history").at("foreign"), json::parse("[0.5, null]"));
}

TEST_F(a_report, never_counts_more_than_was_sent_while_it_runs) {
  options o = four_cores();
  o.on_error = on_error::collect;
  execution run = start(counted(), o);
  std::atomic<bool> over{false};
  std::thread watcher([&] {
    while (!over) {
      const run_report r = run.report();
      EXPECT_LE(of(r, "work").invocations, r.sent + 0u);
      EXPECT_LE(r.results + r.failed + r.dropped, 2 * r.sent);
      EXPECT_FALSE(r.brief().empty());
    }
  });
  for (int i = 0; i < 3000; ++i) run.send(n = i, k = i);
  run.close();
  run.wait();
  over = true;
  watcher.join();
}

TEST_F(a_report, stands_still_once_the_run_has_ended) {
  execution run = start(box("f", takes(n), gives(n), plus_one), four_cores());
  run.send(n = 1);
  run.close();
  run.wait();
  const double first = run.report().seconds;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // time passes, but not the report's
  EXPECT_EQ(run.report().seconds, first);
  EXPECT_GT(first, 0);
}

// The date of the start stands next to the seconds since then. It is read once, so it stays when the clock is set.
TEST_F(a_report, says_when_its_run_began) {
  class dated final : public virtual_time {
   public:
    dated() : virtual_time("core:2 pu:1") {}
    double wall_clock() const noexcept override { return date; }
    double date = 1'700'000'000.25;
  };
  const auto time = std::make_shared<dated>();
  execution run = start(box("f", takes(n), gives(n), plus_one), on(time));
  time->advance(60);
  time->date = 5;
  EXPECT_EQ(run.report().began, 1'700'000'000.25);
  EXPECT_EQ(parsed(run.report().json()).at("began"), 1'700'000'000.25);
  EXPECT_EQ(parsed(run.report().json(report_part::update)).at("began"), 1'700'000'000.25);

  execution undated = start(box("f", takes(n), gives(n), plus_one), on(std::make_shared<virtual_time>("core:2 pu:1")));
  EXPECT_TRUE(parsed(undated.report().json()).at("began").is_null());

  const auto now = [] { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()); };
  const double before = now().count();
  execution here = start(box("f", takes(n), gives(n), plus_one), four_cores());
  EXPECT_GE(here.report().began, before);
  EXPECT_LE(here.report().began, now().count());
}

TEST_F(a_report, prints_brief_full_and_as_json_that_agree_with_it) {
  options o = four_cores();
  o.on_error = on_error::collect;
  execution run = start(counted(), o);
  for (int i = 0; i < 200; ++i) run.send(n = i, k = i);
  run.close();
  run.wait();
  const run_report r = run.report();
  for (const char* name : {"work", "count", "even", "twice", "fails"}) {
    EXPECT_NE(r.brief().find(name), std::string::npos);
    EXPECT_NE(r.full().find(name), std::string::npos);
  }
  EXPECT_LT(r.brief().size(), r.full().size());
  EXPECT_NE(r.full().find("a multiple of 20"), std::string::npos);
  std::ostringstream text;
  text << r;
  EXPECT_EQ(text.str(), r.full());

  const json j = parsed(r.json());
  EXPECT_EQ(j.at("sent"), 200);
  EXPECT_EQ(j.at("results"), 180);
  EXPECT_EQ(j.at("failed"), 20);
  EXPECT_EQ(j.at("dropped"), 0);
  EXPECT_EQ(j.at("components").size(), 5u);
  EXPECT_EQ(j.at("components").at(0).at("name"), "work");
  EXPECT_EQ(j.at("components").at(0).at("invocations"), 200);
  EXPECT_EQ(j.at("failures").size(), 20u);
  EXPECT_EQ(j.at("failures").at(0).at("entity"), "fails");
  EXPECT_EQ(j.at("failures").at(0).at("path"), ":S5");
  EXPECT_EQ(j.at("streams").back().at("to"), "output");
  EXPECT_FALSE(j.at("decisions").empty());
  EXPECT_TRUE(j.at("decisions").at(0).at("from").is_null());
}

TEST_F(a_report, is_json_also_where_a_record_holds_text_in_no_encoding) {
  options o = four_cores();
  o.on_error = on_error::collect;
  execution run = start(
      box("f", takes(s), gives(n), [](const std::string& v) -> std::int64_t { throw std::runtime_error("bad: " + v); }),
      o);
  run.send(s = std::string("\xff\xfe\"\n\0", 5));
  run.close();
  run.wait();
  EXPECT_NO_THROW(EXPECT_EQ(parsed(run.report().json()).at("failed"), 1));
}

TEST_F(a_report, of_a_run_without_any_record_is_a_report) {
  execution run = start(box("f", takes(n), gives(n), plus_one), four_cores());
  EXPECT_NO_THROW(parsed(run.report().json()));
  EXPECT_FALSE(run.report().full().empty());
  EXPECT_TRUE(std::isnan(of(run.report(), "f").mean_seconds));
}

TEST_F(a_report, keeps_every_decision_with_its_reason) {
  options o = four_cores();
  o.policy = random_shares(3);
  detail::run_state run(counted(), o);
  ASSERT_EQ(run.report().decisions.size(), 1u) << "the initial one";
  {
    const grant_changer changer(run, o.machine, 20, 5);
    EXPECT_TRUE(eventually([&] { return changer.is_done(); }));
  }
  const run_report r = run.report();
  ASSERT_GT(r.decisions.size(), 10u);
  EXPECT_TRUE(r.decisions.front().from.components.empty());
  for (std::size_t i = 0; i < r.decisions.size(); ++i) {
    EXPECT_FALSE(r.decisions[i].why.empty());
    EXPECT_EQ(check(r.decisions[i].to, o.machine.state()->cores()->all()), "");
    if (i == 0) continue;
    EXPECT_EQ(r.decisions[i].from, r.decisions[i - 1].to) << "decision " << i << " starts where the one before led";
    EXPECT_GE(r.decisions[i].time, r.decisions[i - 1].time);
  }
}

TEST_F(a_report, names_policy_and_machine) {
  options o = four_cores();
  o.policy = fixed_shares{{"f", 3}};
  execution run = start(box("f", takes(n), gives(n), plus_one) >> box("g", takes(n), gives(n), plus_one), o);
  const run_report r = run.report();
  EXPECT_EQ(r.policy, "fixed shares");
  EXPECT_NE(r.machine.find("4 cores"), std::string::npos) << r.machine;
  EXPECT_EQ(of(r, "f").cores, 3);
  EXPECT_EQ(of(r, "f").place, "own cores {0-2}, 1 lane");
  EXPECT_EQ(of(r, "g").cores, 0);
  EXPECT_EQ(of(r, "g").place, "shared group {3}");
}

TEST_F(a_report, says_where_the_shared_group_is_a_guest) {
  options o = four_cores();
  o.policy = fixed_shares{{"f", 4}};
  execution run = start(box("f", takes(n), gives(n), plus_one) >> box("g", takes(n), gives(n), plus_one), o);
  EXPECT_EQ(of(run.report(), "g").place, "shared group {0} on a core of f");
}

// ---- rules that fail ----

struct failing_rule : allocation_rule {
  std::string name() const override { return "failing"; }
  allotment decide(const system_view& view) const override {
    if (!view.current.components.empty()) throw std::runtime_error("this rule answers once");
    return equal_shares{}.decide(view);
  }
  bool adapts() const override { return true; }
};

TEST_F(a_report, of_a_rule_that_fails_while_the_network_runs_reaches_the_caller_and_ends_nothing_else) {
  options o = four_cores();
  o.policy = failing_rule{};
  execution run = start(box("f", takes(n), gives(n), work), o);
  try {
    for (int i = 0; i < 2000; ++i) run.send(n = 20);
    run.close();
    all_of(run);
    run.wait();
  } catch (const run_error&) {  // the run continues unchanged, or the caller gets the error
  }
  EXPECT_NE(run.report().full().find("this rule answers once"), std::string::npos) << run.report().full();
}

}  // namespace
}  // namespace weir::report_test
