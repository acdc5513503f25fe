#include <weir/engine/trace.hpp>
#include "tests/runtime/engine/trace_events.hpp"
#include "tests/support/json.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace weir {
namespace {

using nlohmann::json;
using namespace testing;

json all_in(const tracer& t) { return parsed(t.chrome_json()).at("traceEvents"); }

std::vector<json> with_phase(const tracer& t, const std::string& phase) {
  std::vector<json> some;
  for (const json& e : all_in(t))
    if (e.at("ph") == phase) some.push_back(e);
  return some;
}

std::int64_t ns(const json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

// The name of each track in viewers, by number.
std::map<int, std::string> track_names(const tracer& t) {
  std::map<int, std::string> names;
  for (const json& e : with_phase(t, "M"))
    if (e.at("name") == "thread_name") {
      EXPECT_TRUE(names.emplace(e.at("tid"), e.at("args").at("name")).second) << "named twice: " << e;
    }
  return names;
}

// The requirements of the format's description for every file.
void expect_well_formed(const tracer& t) {
  const json file = parsed(t.chrome_json());
  ASSERT_TRUE(file.is_object());
  EXPECT_EQ(file.at("displayTimeUnit"), "ms");
  ASSERT_TRUE(file.at("otherData").is_object());
  ASSERT_TRUE(file.at("traceEvents").is_array());
  const std::map<int, std::string> names = track_names(t);
  std::set<int> processes;
  std::map<int, int> positions;
  std::int64_t last = 0;
  for (const json& e : file.at("traceEvents")) {
    SCOPED_TRACE(e.dump());
    ASSERT_TRUE(e.at("name").is_string());
    const std::string phase = e.at("ph");
    ASSERT_TRUE(phase == "X" || phase == "i" || phase == "C" || phase == "M");
    ASSERT_TRUE(e.at("ts").is_number());
    ASSERT_TRUE(e.at("pid").is_number_integer());
    ASSERT_TRUE(e.at("tid").is_number_integer());
    ASSERT_TRUE(e.at("args").is_object());
    EXPECT_GE(e.at("ts").get<double>(), 0);
    EXPECT_GE(e.at("tid").get<int>(), 0) << "viewers read it as unsigned";
    EXPECT_GT(e.at("pid").get<int>(), 0) << "0 is the idle process";
    processes.insert(e.at("pid").get<int>());
    EXPECT_EQ(e.contains("dur"), phase == "X");
    EXPECT_EQ(e.contains("s"), phase == "i");
    if (phase == "X") {
      EXPECT_TRUE(e.at("dur").is_number());
      EXPECT_GE(e.at("dur").get<double>(), 0);
    } else if (phase == "i") {
      EXPECT_TRUE(e.at("s") == "g" || e.at("s") == "t");
    } else if (phase == "C") {
      for (const json& value : e.at("args")) EXPECT_TRUE(value.is_number()) << "a series";
    }
    if (phase != "M") {
      EXPECT_TRUE(names.count(e.at("tid"))) << "its track has no name";
      EXPECT_GE(ns(e.at("ts")), last) << "not demanded, but read the faster";
      last = ns(e.at("ts"));
    } else if (e.at("name") == "thread_sort_index") {
      EXPECT_TRUE(positions.emplace(e.at("tid"), e.at("args").at("sort_index")).second);
    } else {
      EXPECT_TRUE(e.at("name") == "process_name" || e.at("name") == "thread_name");
      EXPECT_FALSE(e.at("args").at("name").get<std::string>().empty());
    }
  }
  EXPECT_EQ(processes.size(), 1u);
  EXPECT_EQ(positions.size(), names.size());
  std::set<std::string> different;
  for (const auto& [number, name] : names) different.insert(name);
  EXPECT_EQ(different.size(), names.size());
}

// Any two complete events on one track are nested or disjoint.
void expect_nesting(const tracer& t) {
  std::map<int, std::vector<std::int64_t>> open;  // ends, the innermost last
  for (const json& e : with_phase(t, "X")) {
    std::vector<std::int64_t>& ends = open[e.at("tid").get<int>()];
    const std::int64_t start = ns(e.at("ts")), end = start + ns(e.at("dur"));
    while (!ends.empty() && ends.back() <= start) ends.pop_back();
    EXPECT_TRUE(ends.empty() || end <= ends.back()) << e;
    ends.push_back(end);
  }
}

TEST(a_trace, of_every_kind_of_event_is_what_the_format_describes) {
  expect_well_formed(one_of_each());
  expect_nesting(one_of_each());
  expect_well_formed(tracer());
  EXPECT_TRUE(tracer().events().empty());
}

TEST(a_trace, draws_invocations_and_blocks_as_spans_on_the_track_of_their_core) {
  const tracer t = one_of_each();
  std::map<std::string, json> spans;
  for (const json& e : with_phase(t, "X")) spans[e.at("name")] = e;
  ASSERT_EQ(spans.size(), 4u);
  std::map<int, std::string> names = track_names(t);
  EXPECT_EQ(spans["f"].at("tid"), 0);
  EXPECT_EQ(names[0], "core 0");
  EXPECT_EQ(spans["blocked f"].at("tid"), 0);
  EXPECT_EQ(spans["g"].at("tid"), 1);
  EXPECT_EQ(names[1], "core 1");
  EXPECT_EQ(names[spans["h"].at("tid").get<int>()], "callers");
  EXPECT_NE(spans["h"].at("tid"), 0);
  EXPECT_DOUBLE_EQ(spans["g"].at("ts").get<double>(), 4000);
  EXPECT_DOUBLE_EQ(spans["g"].at("dur").get<double>(), 2000);
}

TEST(a_trace, tells_of_an_invocation_its_predictor_value_its_lane_and_its_path) {
  trace_event e = invocation(4, 0, 1, "multiply");
  e.x = 2.5;
  e.cores = 3;
  e.width = 2;
  e.path = ":S2:R7";
  tracer t;
  t.add(e);
  EXPECT_EQ(with_phase(t, "X").at(0).at("args"), parsed(R"({"x": 2.5, "cores": 3, "width": 2, "path": ":S2:R7"})"));
}

TEST(a_trace, shows_no_track_of_a_core_on_which_nothing_happened_and_the_others_in_order) {
  tracer t;
  for (const int core : {10, 2, 0, 33}) t.add(invocation(core, 0, 1));
  std::map<int, std::string> names = track_names(t), in_order;
  for (const json& e : with_phase(t, "M"))
    if (e.at("name") == "thread_sort_index")
      in_order[e.at("args").at("sort_index").get<int>()] = names[e.at("tid").get<int>()];
  EXPECT_EQ(in_order, (std::map<int, std::string>{{0, "core 0"}, {1, "core 2"}, {2, "core 10"}, {3, "core 33"}}));
}

TEST(a_trace, has_no_core_that_viewers_take_for_the_main_thread) {
  tracer t;
  for (int core = 0; core < 2000; ++core) t.add(invocation(core, 0, 1));
  for (const json& e : with_phase(t, "X")) EXPECT_NE(e.at("tid"), e.at("pid"));
}

TEST(a_trace, keeps_what_ran_inside_an_emit_on_the_track_of_what_encloses_it_whatever_was_added_first) {
  tracer t;
  t.add(invocation(0, 3, 4, "innermost"));
  t.add(invocation(0, 2, 5, "inner"));
  t.add(invocation(0, 5, 8, "at the end"));
  t.add(invocation(0, 1, 8, "outer"));
  t.add(invocation(0, 1, 2, "at the start"));
  t.add(invocation(0, 8, 9, "after"));
  expect_well_formed(t);
  expect_nesting(t);
  EXPECT_EQ(track_names(t).size(), 1u);
}

TEST(a_trace, puts_spans_that_overlap_in_part_on_further_tracks_of_the_core) {
  tracer t;
  t.add(invocation(0, 1, 3, "first"));
  t.add(invocation(0, 2, 4, "second"));
  t.add(invocation(0, 2.5, 5, "third"));
  t.add(invocation(0, 4, 6, "fourth"));
  t.add(invocation(-1, 1, 3, "a caller's"));
  t.add(invocation(-1, 2, 4, "another caller's"));
  expect_well_formed(t);
  expect_nesting(t);
  std::map<int, std::string> names = track_names(t);
  std::map<std::string, std::string> track_of;
  for (const json& e : with_phase(t, "X")) track_of[e.at("name")] = names[e.at("tid").get<int>()];
  EXPECT_EQ(track_of, (std::map<std::string, std::string>{{"first", "core 0"},
                                                          {"second", "core 0 (2)"},
                                                          {"third", "core 0 (3)"},
                                                          {"fourth", "core 0"},
                                                          {"a caller's", "callers"},
                                                          {"another caller's", "callers (2)"}}));
}

TEST(a_trace, of_any_spans_nests_and_has_all_of_them) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    // Few moments, so that starts and ends often coincide; then fractions of a nanosecond.
    const double moment = seed % 2 ? 1e-3 : 3.7e-10;
    std::uniform_int_distribution<int> when(0, 40), where(-1, 2);
    tracer t;
    for (int i = 0; i < 100; ++i) {
      const int a = when(random), b = when(random);
      t.add(invocation(where(random), moment * std::min(a, b), moment * std::max(a, b)));
    }
    expect_well_formed(t);
    expect_nesting(t);
    EXPECT_EQ(with_phase(t, "X").size(), 100u);
  }
}

TEST(a_trace, gives_the_cores_of_each_component_over_time) {
  tracer t;
  t.add(move(2, "f", 4, 2));
  t.add(move(1, "f", 1, 1));
  t.add(move(1, "g", 3, 3));
  std::map<std::string, std::vector<std::pair<double, int>>> series;
  for (const json& e : with_phase(t, "C"))
    series[e.at("name")].emplace_back(e.at("ts").get<double>() / 1e6, e.at("args").at("cores").get<int>());
  EXPECT_EQ(series, (std::map<std::string, std::vector<std::pair<double, int>>>{{"cores of f", {{1, 1}, {2, 4}}},
                                                                                {"cores of g", {{1, 3}}}}));
}

TEST(a_trace, marks_moves_across_all_tracks_and_other_moments_on_their_own) {
  std::map<std::string, json> instants;
  for (const json& e : with_phase(one_of_each(), "i")) instants[e.at("name")] = e;
  ASSERT_EQ(instants.size(), 5u);
  EXPECT_EQ(instants["move f"].at("s"), "g");
  EXPECT_EQ(instants["move f"].at("args").at("allotment"), "f 2 cores x 2 lanes {0-1}");
  for (const char* other : {"unblock f", "unfold f", "remove f", "error f"}) EXPECT_EQ(instants[other].at("s"), "t");
  EXPECT_EQ(instants["unfold f"].at("args").at("detail"), "instance 7");
  EXPECT_EQ(instants["error f"].at("args").at("detail"), "the box threw \"x\"");
}

TEST(a_trace, marks_a_block_that_is_not_over_as_a_moment) {
  tracer t;
  t.add(happened(trace_kind::block, 1, "f"));
  EXPECT_TRUE(with_phase(t, "X").empty());
  EXPECT_EQ(with_phase(t, "i").at(0).at("name"), "block f");
}

TEST(a_trace, keeps_nanoseconds) {
  tracer t;
  t.add(invocation(0, 86400.000000001, 86400.000001235));
  const json e = with_phase(t, "X").at(0);
  EXPECT_NEAR(e.at("ts").get<double>(), 86400e6 + 0.001, 1e-4);
  EXPECT_NEAR(e.at("dur").get<double>(), 1.234, 1e-9);
}

TEST(a_trace, stays_readable_whatever_the_numbers_and_texts_are) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::string bad = std::string("\xff\xc3(\0\"\\\n\x01", 8) + "\xe2\x82";
  tracer t;
  int added = 0;
  for (const double start : {nan, inf, -inf, -1.0, 0.0, 1e300, 1.0})
    for (const double seconds : {nan, inf, -inf, -1.0, 0.0, 1e300, 1.0})
      for (const trace_kind kind : {trace_kind::invocation, trace_kind::move, trace_kind::block, trace_kind::error})
        for (const int core : {-2'000'000'000, -1, 0, 9999, 10000, 2'000'000'000}) {
          trace_event e = happened(kind, start, bad, bad);
          e.seconds = seconds;
          e.core = core;
          e.x = seconds;
          e.path = bad;
          t.add(e);
          ++added;
        }
  expect_well_formed(t);
  expect_nesting(t);
  const std::size_t moves = with_phase(t, "C").size();
  EXPECT_EQ(with_phase(t, "X").size() + with_phase(t, "i").size(), static_cast<std::size_t>(added));
  EXPECT_EQ(moves, static_cast<std::size_t>(added) / 4);
}

TEST(a_tracer, gives_events_in_order_of_start_and_what_encloses_first) {
  tracer t;
  for (const auto& [start, end] : {std::pair{3, 4}, {1, 2}, {0, 5}, {1, 3}}) t.add(invocation(0, start, end));
  std::vector<std::pair<double, double>> order;
  for (const trace_event& e : t.events()) order.emplace_back(e.start, e.start + e.seconds);
  EXPECT_EQ(order, (std::vector<std::pair<double, double>>{{0, 5}, {1, 3}, {1, 2}, {3, 4}}));
}

TEST(a_tracer, that_is_full_keeps_the_oldest_and_counts_the_others) {
  const tracer t(10);
  for (int i = 0; i < 10; ++i) t.add(invocation(0, i, i + 1));
  EXPECT_EQ(t.dropped(), 0u);
  for (int i = 10; i < 25; ++i) t.add(invocation(0, i, i + 1));
  EXPECT_EQ(t.dropped(), 15u);
  ASSERT_EQ(t.events().size(), 10u);
  EXPECT_EQ(t.events().back().start, 9);
  EXPECT_EQ(parsed(t.chrome_json()).at("otherData").at("dropped"), 15);
  const tracer none(0);
  none.add(invocation(0, 0, 1));
  EXPECT_TRUE(none.events().empty());
  EXPECT_EQ(none.dropped(), 1u);
}

// However many come within a second: no more of it are kept, and none is forgotten.
TEST(a_tracer, keeps_of_each_second_no_more_than_it_was_told_and_counts_the_others) {
  using clock = std::chrono::steady_clock;
  const auto began = clock::now();
  const tracer t(1000, 10);
  for (int i = 0; i < 100; ++i) t.add(invocation(0, i, i + 1));
  const double seconds = std::chrono::duration<double>(clock::now() - began).count();
  EXPECT_GE(t.events().size(), 10u);
  EXPECT_LE(t.events().size(), 10u * (static_cast<std::size_t>(seconds) + 2));
  EXPECT_EQ(t.events().size() + t.dropped(), 100u);
}

TEST(a_trace_of_several_runs, has_a_process_for_each_and_no_track_of_two) {
  const tracer first, second;
  first.add(invocation(3, 0, 1));
  second.add(invocation(3, 0, 1));
  second.add(invocation(-1, 0, 1));
  std::map<int, std::string> names;
  std::set<std::pair<int, int>> tracks;
  std::set<int> numbers;
  const nlohmann::json file = parsed(chrome_json({{"one", first}, {"other", second}}));
  for (const auto& e : file.at("traceEvents")) {
    if (e.at("name") == "process_name") names[e.at("pid").get<int>()] = e.at("args").at("name");
    if (e.at("ph") != "X") continue;
    tracks.emplace(e.at("pid").get<int>(), e.at("tid").get<int>());
    numbers.insert(e.at("tid").get<int>());
  }
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names.begin()->second, "one");
  EXPECT_EQ(names.rbegin()->second, "other");
  EXPECT_EQ(tracks.size(), 3u);
  EXPECT_EQ(numbers.size(), 3u) << "viewers take the number of a thread for unique";
  EXPECT_EQ(parsed(chrome_json({})).at("traceEvents").size(), 0u);
}

TEST(a_tracer, is_shared_by_its_copies) {
  const tracer t;
  const tracer copy = t;  // NOLINT(performance-unnecessary-copy-initialization): the copy is tested
  copy.add(invocation(0, 0, 1));
  EXPECT_EQ(t.events().size(), 1u);
  tracer().add(invocation(0, 0, 1));
  EXPECT_EQ(t.events().size(), 1u);
}

TEST(a_tracer, loses_nothing_that_threads_add_at_once_while_another_reads) {
  constexpr int threads = 8, each = 2000;
  for (const std::size_t most : {std::size_t{threads * each}, std::size_t{5000}}) {
    const tracer t(most);
    {
      std::vector<std::jthread> all;
      for (int who = 0; who < threads; ++who)
        all.emplace_back([&t, who] {
          for (int i = 0; i < each; ++i) t.add(invocation(who, i, i + 1));
        });
      std::size_t seen = 0;
      for (int i = 0; i < 20; ++i) {
        const std::size_t now = t.events().size();
        EXPECT_GE(now, seen);
        EXPECT_LE(now, most);
        seen = now;
      }
    }
    EXPECT_EQ(t.events().size(), most);
    EXPECT_EQ(t.dropped(), threads * each - most);
    std::map<int, double> next;  // all fit: every event of every thread, once
    if (t.dropped() == 0) {
      for (const trace_event& e : t.events()) EXPECT_EQ(e.start, next[e.core]++);
    }
  }
}

}  // namespace
}  // namespace weir
