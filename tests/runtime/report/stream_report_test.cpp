#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

#include <weir/report/report.hpp>
#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/virtual_time.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/json.hpp"

// The report of each stream beyond the number of records: the records waiting over time, the time it was full, the
// bytes that arrived. The test and the boxes determine the time.
namespace weir {
namespace {

using namespace testing;

class a_stream_report : public gives_all_back {
 protected:
  const std::shared_ptr<virtual_time> time = std::make_shared<virtual_time>("core:4 pu:1");

  // A box that takes `seconds` for n = 0 and no time for the others.
  network late_once(const std::string& name, double seconds) {
    return box(name, takes(n), gives(n), [this, seconds](std::int64_t v) {
      if (v == 0) time->advance(seconds);
      return v;
    });
  }

  static void take(detail::run_state& run, int records) {
    record out;
    for (int i = 0; i < records; ++i) ASSERT_TRUE(run.next(out));
  }

  static const stream_report& between(const run_report& r, const std::string& from, const std::string& to) {
    for (const stream_report& s : r.streams)
      if (s.from == from && s.to == to) return s;
    throw std::out_of_range("no stream " + from + " -> " + to + " in\n" + r.full());
  }

  static int notes_of(const run_report& r, const std::string& what) {
    return static_cast<int>(std::count_if(r.notes.begin(), r.notes.end(),
                                          [&](const std::string& n) { return n.find(what) != std::string::npos; }));
  }
};

// ---- occupancy ----

// One record waits from 0 s to 5 s, one from 2 s: 8 seconds of waiting.
TEST_F(a_stream_report, has_the_mean_number_waiting_over_time_and_the_most) {
  detail::run_state run(late_once("f", 0), on(time));
  run.send(record(n = 1));
  time->advance(2);
  run.send(record(n = 2));
  time->advance(3);
  const run_report during = run.report();
  EXPECT_NEAR(between(during, "input", "f").occupancy, 8 / 5.0, 1e-6) << "those that are in it have waited, too";
  EXPECT_EQ(between(during, "input", "f").peak, 2u);
  take(run, 2);
  time->advance(5);
  run.close();
  run.wait();
  time->advance(7);
  const run_report r = run.report();
  EXPECT_NEAR(between(r, "input", "f").occupancy, 8 / 10.0, 1e-6) << "it stands still when the run has ended";
  EXPECT_EQ(between(r, "f", "output").occupancy, 0) << "results were taken when they came";
}

TEST_F(a_stream_report, counts_results_as_waiting_until_they_are_read) {
  detail::run_state run(late_once("f", 0), on(time));
  for (int i = 1; i <= 3; ++i) run.send(record(n = i));
  time->advance(1);
  record out;
  ASSERT_TRUE(run.next(out));  // takes all available results: one or more
  const std::uint64_t made = run.report().results;
  time->advance(3);
  take(run, 2);
  const run_report r = run.report();
  EXPECT_NEAR(between(r, "f", "output").occupancy, 0, 1e-6);
  EXPECT_NEAR(between(r, "input", "f").occupancy, (3 + 3 * (3 - static_cast<double>(made))) / 4, 1e-6);
}

// 64 records come together every second and leave one by one: samples of only the first would show no waiting.
TEST_F(a_stream_report, estimates_without_bias_what_comes_in_batches_as_large_as_the_distance_of_samples) {
  detail::run_state run(late_once("f", 0), on(time));
  detail::stream_end came(run.environment().monitor), left(run.environment().monitor);
  for (int second = 0; second < 3000; ++second) {
    came.pass(64);
    for (int i = 0; i < 64; ++i) {
      left.pass(1);
      time->advance(1 / 64.0);
    }
  }
  EXPECT_NEAR(detail::mean_between(came.read(), left.read(), 3000), 31.5, .3);
}

TEST_F(a_stream_report, is_near_the_truth_for_records_that_come_and_leave_at_random) {
  detail::run_state run(late_once("f", 0), on(time));
  detail::stream_end came(run.environment().monitor), left(run.environment().monitor);
  std::mt19937 random(3);
  double waited = 0, now = 0;
  std::size_t inside = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::size_t coming = random() % 40, leaving = std::min<std::size_t>(inside, random() % 43);
    came.pass(coming);
    left.pass(leaving);
    inside += coming;
    inside -= leaving;
    const double passing = 1e-3 * static_cast<double>(random() % 100);
    time->advance(passing);
    waited += passing * static_cast<double>(inside);
    now += passing;
    if (came.count() <= 64) {
      ASSERT_NEAR(detail::mean_between(came.read(), left.read(), now), waited / now, 1e-5) << "exact for the first 64";
    }
  }
  EXPECT_NEAR(detail::mean_between(came.read(), left.read(), now) / (waited / now), 1, .03);
}

// ---- blocked ----

TEST_F(a_stream_report, has_how_long_a_full_network_held_a_sender_up) {
  options o = on(time);
  o.capacity = 2;
  detail::run_state run(late_once("f", 3), o);
  for (int i = 0; i < 2; ++i) run.send(record(n = i));
  time->advance(1);
  EXPECT_EQ(between(run.report(), "input", "f").blocked_seconds, 0) << "it was full, but nobody wanted to send";
  run.send(record(n = 2));
  EXPECT_NEAR(between(run.report(), "input", "f").blocked_seconds, 3, 1e-9) << "until f had taken the first";
  run.close();
  run.wait();
  EXPECT_NEAR(between(run.report(), "input", "f").blocked_seconds, 3, 1e-9);
}

// f gives five together. The first finds a free place, each other one after g has worked for a second on the one
// before.
TEST_F(a_stream_report, has_how_long_a_component_was_held_up_that_waits_for_room_without_a_thread) {
  const network five = box("f", takes(n), gives(n), [](std::int64_t, emitter& emit) {
    for (int i = 0; i < 5; ++i) emit(n = i);
  });
  const network second = box("g", takes(n), gives(n), [this](std::int64_t v) {
    time->advance(1);
    return v;
  });
  options o = on(time);
  o.capacity = 1;
  o.policy = fixed_shares{{"f", 1}, {"g", 1}};
  detail::run_state run(five >> second, o);
  run.send(record(n = 0));
  run.close();
  run.wait();
  const run_report r = run.report();
  EXPECT_NEAR(between(r, "f", "g").blocked_seconds, 4, 1e-9);
  EXPECT_EQ(between(r, "f", "g").peak, 1u);
  EXPECT_EQ(between(r, "input", "f").blocked_seconds, 0);
  EXPECT_EQ(between(r, "g", "output").blocked_seconds, 0);
}

TEST(blocked_time, is_the_time_in_which_at_least_one_writer_waits) {
  detail::blocked_time blocked;
  EXPECT_EQ(blocked.seconds(1), 0);
  blocked.begin(1);
  EXPECT_EQ(blocked.seconds(3), 2);
  blocked.begin(4);
  blocked.end(5);
  EXPECT_EQ(blocked.seconds(6), 5);
  blocked.end(7);
  EXPECT_EQ(blocked.seconds(9), 6);
  blocked.begin(10);
  blocked.end(11);
  EXPECT_EQ(blocked.seconds(20), 7);
}

// ---- bytes ----

TEST_F(a_stream_report, has_the_bytes_that_came_by_the_size_function) {
  options o = on(time);
  o.record_bytes = [](const record& r) { return 8 + (r.contains(s) ? r[s].size() : 0); };
  const network shorten = box("f", takes(s), gives(n), [](const std::string& v) { return std::int64_t(v.size()); });
  detail::run_state run(shorten, o);
  for (int i = 0; i < 60; ++i) run.send(record(s = std::string(static_cast<std::size_t>(i), 'x')));
  run.close();
  take(run, 60);
  run.wait();
  const run_report r = run.report();
  EXPECT_EQ(between(r, "input", "f").bytes, 60 * 8 + 59 * 60 / 2);
  EXPECT_EQ(between(r, "f", "output").bytes, 60 * 8);
  EXPECT_NE(r.full().find("bytes"), std::string::npos);
}

TEST_F(a_stream_report, has_bytes_of_many_records_from_few_of_them) {
  int asked = 0;
  options o = on(time);
  o.record_bytes = [&](const record& r) {
    ++asked;
    return static_cast<std::uint64_t>(r.contains(k) ? 100 : r[n] % 10);
  };
  detail::run_state run(box("f", takes(n), gives(k), plus_one), o);
  constexpr int count = 16384 + 512 * 100 + 5;
  for (int i = 0; i < count; ++i) run.send(record(n = i)), take(run, 1);
  const run_report r = run.report();
  EXPECT_EQ(between(r, "f", "output").bytes, 100.0 * count) << "exact where all are alike";
  EXPECT_NEAR(between(r, "input", "f").bytes, 4.5 * count, .05 * 4.5 * count);
  EXPECT_GE(asked, 2 * (64 + 255 + 100));
  EXPECT_LE(asked, 2 * (64 + 255 + 101));
}

TEST_F(a_stream_report, loses_no_record_by_a_size_function_that_throws_and_notes_it_once) {
  options o = on(time);
  o.record_bytes = [](const record& r) { return r[s].size(); };
  const network shorten = box("f", takes(s), gives(n), [](const std::string& v) { return std::int64_t(v.size()); }) >>
                          box("g", takes(n), gives(n), plus_one);
  o.policy = fixed_shares{{"f", 1}, {"g", 1}};
  detail::run_state run(shorten, o);
  for (int i = 0; i < 200; ++i) run.send(record(s = "four")), take(run, 1);
  const run_report r = run.report();
  EXPECT_EQ(r.results, 200u);
  EXPECT_EQ(r.failed, 0u);
  EXPECT_EQ(notes_of(r, "options.record_bytes threw"), 1) << "although it threw at two streams";
  EXPECT_EQ(between(r, "input", "f").bytes, 800);
  EXPECT_TRUE(std::isnan(between(r, "f", "g").bytes)) << "records without s";
  EXPECT_TRUE(std::isnan(between(r, "g", "output").bytes));
  EXPECT_TRUE(parsed(r.json()).at("streams").back().at("bytes").is_null());
}

TEST_F(a_stream_report, does_not_ask_for_the_size_of_what_starts_an_initialiser) {
  options o = on(time);
  o.record_bytes = [](const record& r) { return static_cast<std::uint64_t>(r[n]); };
  const network numbers = source("numbers", gives(n), [](emitter& emit) {
    for (int i = 0; i < 10; ++i) emit(n = i);
  });
  detail::run_state run(numbers, o);
  run.close();
  take(run, 10);
  run.wait();
  const run_report r = run.report();
  EXPECT_TRUE(r.notes.empty());
  EXPECT_EQ(between(r, "numbers", "output").bytes, 45);
}

// ---- the whole report ----

TEST_F(a_stream_report, knows_of_streams_only_and_not_of_what_runs_inline) {
  options o = on(time);
  o.record_bytes = [](const record&) { return 10u; };
  o.policy = fixed_shares{{"f", 1}};
  detail::run_state run(late_once("f", 0) >> filter(takes(n)).emit(n = n + 1) >> filter(takes(n)).emit(n), o);
  for (int i = 0; i < 100; ++i) run.send(record(n = i));
  run.close();
  take(run, 100);
  run.wait();
  const run_report r = run.report();
  ASSERT_EQ(r.streams.size(), 2u) << "the filters have none";
  for (const stream_report& each : r.streams) {
    EXPECT_EQ(each.records, 100u);
    EXPECT_EQ(each.bytes, 1000);
  }
}

TEST_F(a_stream_report, on_the_way_back_in_a_loop_is_one_like_all_others) {
  options o = on(time);
  o.record_bytes = [](const record&) { return 10u; };
  o.policy = fixed_shares{{"body", 1}};
  const network body = box("body", takes(n), gives(n), [](std::int64_t v) { return v - 1; });
  detail::run_state run(star(body, pattern{n}.where(n == 0)), o);
  for (int i = 0; i < 20; ++i) run.send(record(n = 3));
  run.close();
  run.wait();
  const run_report r = run.report();
  const auto back = std::find_if(r.streams.begin(), r.streams.end(),
                                 [](const stream_report& each) { return each.to == each.from + " again"; });
  ASSERT_NE(back, r.streams.end()) << r.full();
  EXPECT_GT(back->records, 0u);
  EXPECT_EQ(back->bytes, 10.0 * static_cast<double>(back->records));
}

TEST_F(a_stream_report, has_no_more_than_counts_where_nothing_is_watched) {
  options o = on(time);
  o.monitor = false;
  o.capacity = 2;
  o.record_bytes = [](const record&) -> std::uint64_t { throw std::logic_error("nobody asks"); };
  detail::run_state run(late_once("f", 3), o);
  for (int i = 0; i < 100; ++i) run.send(record(n = i));
  run.close();
  run.wait();
  const run_report r = run.report();
  EXPECT_FALSE(r.monitored);
  EXPECT_TRUE(r.notes.empty());
  for (const stream_report& each : r.streams) {
    EXPECT_EQ(each.records, 100u);
    EXPECT_GT(each.peak, 0u);
    EXPECT_TRUE(std::isnan(each.occupancy));
    EXPECT_TRUE(std::isnan(each.blocked_seconds));
    EXPECT_TRUE(std::isnan(each.bytes));
  }
  EXPECT_NE(r.full().find("not watched, option monitor"), std::string::npos) << r.full();
  const auto j = parsed(r.json());
  EXPECT_EQ(j.at("monitored"), false);
  EXPECT_TRUE(j.at("streams")[0].at("occupancy").is_null());
}

TEST_F(a_stream_report, is_in_text_and_json_what_it_is_as_a_value) {
  options o = on(time);
  o.capacity = 2;
  o.record_bytes = [](const record&) { return 1000u; };
  detail::run_state run(late_once("f", 3), o);
  for (int i = 0; i < 10; ++i) run.send(record(n = i));
  run.close();
  take(run, 10);
  run.wait();
  const run_report r = run.report();
  const auto j = parsed(r.json());
  EXPECT_EQ(j.at("monitored"), true);
  ASSERT_EQ(j.at("streams").size(), r.streams.size());
  for (std::size_t i = 0; i < r.streams.size(); ++i) {
    EXPECT_EQ(j.at("streams")[i].at("occupancy"), r.streams[i].occupancy);
    EXPECT_EQ(j.at("streams")[i].at("blocked_seconds"), r.streams[i].blocked_seconds);
    EXPECT_EQ(j.at("streams")[i].at("bytes"), r.streams[i].bytes);
  }
  EXPECT_NE(r.full().find("input -> f: 10, 2, 2, "), std::string::npos) << r.full();
  EXPECT_NE(r.full().find(", 3.00 s, 1e+04\n"), std::string::npos) << r.full();
}

}  // namespace
}  // namespace weir
