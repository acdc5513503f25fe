#include "runtime/statistics/run_history.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/virtual_time.hpp"
#include "tests/support/gives_all_back.hpp"

namespace weir {
namespace {

using namespace testing;
using detail::latency_probe;
using detail::order_slot;
using detail::run_history;

class a_history : public gives_all_back {
 protected:
  const std::shared_ptr<virtual_time> time = std::make_shared<virtual_time>("core:1 pu:1");
  detail::run_state run{bypass(), on(time)};
  latency_probe probe{run.environment().life};
  run_history history;

  void follow(double seconds) {
    order_slot* const slot = probe.follow();
    time->advance(seconds);
    slot->let_go();
  }
  std::vector<history_row> rows() const { return history.rows(nullptr, probe); }
};

TEST_F(a_history, has_in_each_row_what_happened_since_the_row_before) {
  history.take({.time = 1, .sent = 10, .results = 4, .failed = 1, .predicted = 20, .waiting = 5}, probe);
  history.take({.time = 3, .sent = 40, .results = 34, .failed = 1, .predicted = 30, .waiting = 0}, probe);
  ASSERT_EQ(rows().size(), 2u);
  const history_row second = rows()[1];
  EXPECT_EQ(second.time, 3);
  EXPECT_EQ(second.seconds, 2);
  EXPECT_EQ(second.sent, 30u);
  EXPECT_EQ(second.results, 30u);
  EXPECT_EQ(second.failed, 0u);
  EXPECT_EQ(second.predicted, 30);
  EXPECT_EQ(second.waiting, 0);
  EXPECT_TRUE(std::isnan(second.latency_p50)) << "no record was followed";
}

TEST_F(a_history, has_in_each_row_the_latencies_of_that_row_alone) {
  for (int i = 0; i < 10; ++i) follow(1);
  history.take({.time = 1}, probe);
  for (int i = 0; i < 10; ++i) follow(7);
  history.take({.time = 2}, probe);
  EXPECT_NEAR(rows()[0].latency_p99, 1, 1e-9);
  EXPECT_NEAR(rows()[1].latency_p50, 7, 1e-9);
  EXPECT_EQ(rows()[1].followed, 10u);
}

TEST_F(a_history, begins_no_row_before_the_last_one_is_long_enough) {
  history.take({.time = 1, .sent = 5}, probe);
  EXPECT_FALSE(history.is_due(1 + run_history::shortest_interval / 2));
  history.take({.time = 1 + run_history::shortest_interval / 2, .sent = 6}, probe);
  EXPECT_EQ(rows().size(), 1u);
  EXPECT_TRUE(history.is_due(1 + run_history::shortest_interval));
}

// While a run is being stopped, a thread that asks for the rows and the one that takes them each read its numbers. The
// one that read them first may come last.
TEST_F(a_history, never_counts_backwards) {
  history.take({.time = 1, .sent = 10, .results = 9, .failed = 1, .emitted = 4, .ended = 4}, probe);
  const run_history::moment read_before{.time = 1, .sent = 10, .results = 8, .failed = 0, .emitted = 3, .ended = 2};
  EXPECT_EQ(history.rows(&read_before, probe).size(), 1u) << "nothing has happened since";
  history.take({.time = 2, .sent = 9, .results = 12, .failed = 0, .emitted = 3, .ended = 5}, probe);
  history.take({.time = 3, .sent = 13, .results = 12, .failed = 1, .emitted = 6, .ended = 5}, probe);
  ASSERT_EQ(rows().size(), 3u);
  EXPECT_EQ(rows()[1].sent, 0u);
  EXPECT_EQ(rows()[1].results, 3u);
  EXPECT_EQ(rows()[1].failed, 0u);
  EXPECT_EQ(rows()[1].emitted, 0u);
  EXPECT_EQ(rows()[1].ended, 1u);
  EXPECT_EQ(rows()[2].sent, 3u) << "all rows together have each record once";
  EXPECT_EQ(rows()[2].emitted, 2u);
}

// An hour of a run, sampled as often as it may be: nothing is lost, and rows stay few and as long as each other.
TEST_F(a_history, of_an_hour_has_few_rows_that_hold_all_records) {
  std::uint64_t sent = 0;
  double end = 0;
  for (int i = 1; i <= 72'000; ++i) {
    end = i * run_history::shortest_interval;
    sent += static_cast<std::uint64_t>(i % 7);
    history.take({.time = end, .sent = sent, .results = sent / 2, .predicted = 8, .waiting = 3}, probe);
  }
  const run_history::moment last{.time = end + 1, .sent = sent + 9, .results = sent / 2, .failed = 2};
  const std::vector<history_row> all = history.rows(&last, probe);
  EXPECT_LE(all.size(), run_history::most + 1);
  EXPECT_GE(all.size(), run_history::most / 2);
  std::uint64_t of_rows = 0, failed = 0;
  double before = 0;
  for (const history_row& r : all) {
    of_rows += r.sent;
    failed += r.failed;
    EXPECT_NEAR(r.time - r.seconds, before, 1e-6) << "rows follow one another";
    before = r.time;
  }
  EXPECT_EQ(of_rows, sent + 9);
  EXPECT_EQ(failed, 2u);
  EXPECT_NEAR(all[10].predicted, 8, 1e-9);
  EXPECT_NEAR(all[10].waiting, 3, 1e-9);
  EXPECT_NEAR(all[10].seconds / all[200].seconds, 1, 0.5) << "no more than what rounding adds to a row";
  EXPECT_GT(all[10].seconds, 6);
}

TEST_F(a_history, joins_latencies_by_how_many_records_they_are_of) {
  follow(1);
  history.take({.time = 1}, probe);
  for (int i = 0; i < 3; ++i) follow(5);
  history.take({.time = 2}, probe);
  for (std::size_t i = 3; i <= run_history::most; ++i) history.take({.time = static_cast<double>(i)}, probe);
  ASSERT_EQ(rows().size(), run_history::most / 2);
  EXPECT_EQ(rows()[0].followed, 4u);
  EXPECT_NEAR(rows()[0].latency_p50, 4, 1e-9);
  EXPECT_NEAR(rows()[0].latency_p99, 5, 1e-9);
  EXPECT_TRUE(std::isnan(rows()[1].latency_p50));
}

TEST_F(a_history, knows_the_foreign_load_of_each_row_and_of_all_by_their_lengths) {
  EXPECT_TRUE(std::isnan(history.foreign_load())) << "no row";
  history.take({.time = 1}, probe);
  EXPECT_TRUE(std::isnan(rows()[0].foreign));
  EXPECT_TRUE(std::isnan(history.foreign_load())) << "of no row it is known";
  history.take({.time = 2, .foreign = 0.8}, probe);
  history.take({.time = 5, .foreign = 0.4}, probe);
  EXPECT_EQ(rows()[1].foreign, 0.8);
  EXPECT_DOUBLE_EQ(history.foreign_load(), 0.5) << "one second and three; the first row does not count";
  for (std::size_t i = 4; i <= run_history::most; ++i)
    history.take({.time = static_cast<double>(2 + i), .foreign = 0.5}, probe);
  ASSERT_EQ(rows().size(), run_history::most / 2);
  EXPECT_EQ(rows()[0].foreign, 0.8) << "of two joined rows the one that is known";
  EXPECT_DOUBLE_EQ(rows()[1].foreign, (3 * 0.4 + 0.5) / 4);
}

// ---- the verdict on a demand ----

class a_demanded_history : public a_history {
 protected:
  void demand(double rate, double p99) {
    judged = std::make_unique<run_history>(stream_demand{rate, std::chrono::duration<double>(p99)});
  }
  // A row that ends then: `sent` records were sent in it, and one waited for room to enter for `held_back` seconds.
  history_row row(double end, std::uint64_t sent, double held_back = 0) {
    all_sent += sent;
    waited += held_back;
    judged->take({.time = end, .sent = all_sent, .held_back = waited}, probe);
    return judged->rows(nullptr, probe).back();
  }
  double met(double end, std::uint64_t sent, double held_back = 0) {
    const history_row r = row(end, sent, held_back);
    return r.judged_seconds > 0 ? r.met_seconds / r.judged_seconds : std::nan("");
  }
  goal_report verdict() const { return *judged->verdict(judged->rows(nullptr, probe)); }

  std::unique_ptr<run_history> judged;
  std::uint64_t all_sent = 0;
  double waited = 0;
};

TEST_F(a_demanded_history, meets_a_p99_in_a_row_while_99_of_100_of_its_records_are_in_time) {
  demand(1, 0.4);
  for (int i = 0; i < 100; ++i) follow(i == 7 ? 0.5 : 0.3);
  EXPECT_EQ(met(1, 100), 1);
  for (int i = 0; i < 100; ++i) follow(i < 2 ? 0.5 : 0.3);
  EXPECT_EQ(met(2, 100), 0) << "two of a hundred";
  for (int i = 0; i < 10; ++i) follow(i == 0 ? 0.5 : 0.3);
  EXPECT_EQ(met(3, 10), 0) << "one of ten";
  for (int i = 0; i < 10; ++i) follow(0.399);
  EXPECT_EQ(met(5, 10), 1);
  EXPECT_EQ(verdict().seconds, 5);
  EXPECT_EQ(verdict().seconds_met, 3);
  EXPECT_EQ(verdict().seconds_late, 2);
  EXPECT_EQ(verdict().words, "p99 at most 400 ms at 1 record a second");
  EXPECT_EQ(verdict().latency_p99, 0.4);
  EXPECT_EQ(verdict().rate, 1);
}

TEST_F(a_demanded_history, does_not_count_a_row_without_records) {
  demand(10, 0.4);
  EXPECT_TRUE(std::isnan(met(1, 0)));
  follow(0.1);
  EXPECT_EQ(met(2, 1), 1) << "fewer than were demanded, but no more were offered";
  EXPECT_TRUE(std::isnan(met(3, 0)));
  EXPECT_EQ(verdict().seconds, 1);
}

// Else a network that stands still would count as one to which nothing comes.
TEST_F(a_demanded_history, misses_the_p99_in_a_row_in_which_records_are_inside_for_longer_and_none_comes_out) {
  demand(10, 0.4);
  order_slot* const slot = probe.follow();
  EXPECT_TRUE(std::isnan(met(0.2, 1))) << "it may have come at the end of the row";
  EXPECT_TRUE(std::isnan(met(0.5, 0))) << "so it is 0.3 s old at least";
  EXPECT_EQ(met(0.7, 0), 0);
  EXPECT_EQ(met(1.7, 0), 0);
  slot->let_go();  // no time has passed by the clock of the probe
  EXPECT_EQ(met(2, 0), 1);
  EXPECT_TRUE(std::isnan(met(3, 0))) << "none is inside";
}

TEST_F(a_demanded_history, misses_a_rate_only_where_more_was_offered_than_entered) {
  demand(40, INFINITY);
  EXPECT_EQ(met(1, 40, 0.9), 1) << "as many as demanded, whatever else waited";
  EXPECT_EQ(met(2, 20, 0), 1) << "no more were offered";
  EXPECT_EQ(met(3, 20, 0.1), 1) << "20 in 0.9 s: no more than 40 a second were offered";
  EXPECT_EQ(met(4, 20, 0.6), 0) << "20 in 0.4 s";
  EXPECT_EQ(met(5, 0, 1), 0) << "nothing could enter";
  EXPECT_TRUE(std::isnan(met(6, 0, 0))) << "nothing came";
  EXPECT_EQ(verdict().words, "40 records a second");
  EXPECT_EQ(verdict().seconds, 5);
  EXPECT_EQ(verdict().seconds_met, 3);
  EXPECT_EQ(verdict().seconds_late, 0);
}

TEST_F(a_demanded_history, does_not_judge_a_rate_where_it_is_unknown_what_was_offered) {
  demand(40, INFINITY);
  waited = std::nan("");
  EXPECT_TRUE(std::isnan(met(1, 20)));
  EXPECT_EQ(met(2, 40), 1);
  demand(40, 0.4);
  all_sent = 0;
  follow(0.1);
  EXPECT_EQ(met(1, 20), 1) << "the p99 is known";
}

TEST_F(a_demanded_history, counts_what_initialisers_emit_as_what_is_sent) {
  demand(40, INFINITY);
  judged->take({.time = 1, .emitted = 30, .held_back = 0.5}, probe);
  judged->take({.time = 2, .sent = 20, .emitted = 50, .held_back = 1}, probe);
  const std::vector<history_row> all = judged->rows(nullptr, probe);
  EXPECT_EQ(all[0].emitted, 30u);
  EXPECT_EQ(all[1].emitted, 20u);
  EXPECT_EQ(all[0].met_seconds, 0) << "30 in 0.5 s";
  EXPECT_EQ(all[1].met_seconds, 1) << "20 and 20";
}

// Rows are joined, and none of their time is lost or gained by that.
TEST_F(a_demanded_history, keeps_the_share_of_joined_rows_that_was_judged_and_met) {
  demand(1, INFINITY);
  for (std::size_t i = 1; i <= run_history::most; ++i) {
    const auto kind = i % 4;  // met, not judged, missed, met
    row(static_cast<double>(i), kind == 1 || kind == 0 ? 1 : 0, kind == 3 ? 1 : 0);
  }
  const std::vector<history_row> all = judged->rows(nullptr, probe);
  ASSERT_EQ(all.size(), run_history::most / 2);
  EXPECT_EQ(all[0].judged_seconds, 1) << "one of two was judged";
  EXPECT_EQ(all[0].met_seconds, 1);
  EXPECT_EQ(all[1].judged_seconds, 2);
  EXPECT_EQ(all[1].met_seconds, 1);
  EXPECT_EQ(verdict().seconds, 450);
  EXPECT_EQ(verdict().seconds_met, 300);
}

TEST_F(a_history, without_a_demand_has_no_verdict) {
  follow(1);
  history.take({.time = 1, .sent = 1}, probe);
  EXPECT_FALSE(history.verdict(rows()).has_value());
  EXPECT_EQ(rows()[0].judged_seconds, 0);
}

// Real time and threads: the rows of a run that has ended hold every record.
TEST_F(a_history, of_a_run_that_ended_adds_up_to_its_totals) {
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  execution live = start(box("f", takes(n), gives(n), plus_one), o);
  for (int i = 0; i < 1000; ++i) live.send(n = i);
  live.close();
  live.wait();
  const run_report r = live.report();
  EXPECT_TRUE(r.ended);
  EXPECT_EQ(r.cores, 2);
  ASSERT_FALSE(r.history.empty());
  std::uint64_t sent = 0, results = 0;
  for (const history_row& row : r.history) sent += row.sent, results += row.results;
  EXPECT_EQ(sent, 1000u);
  EXPECT_EQ(results, 1000u);
}

}  // namespace
}  // namespace weir
