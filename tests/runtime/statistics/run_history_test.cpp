#include "runtime/statistics/run_history.hpp"

#include <gtest/gtest.h>

#include <cmath>
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
