#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/report/a_report.hpp"
#include "tests/runtime/support/virtual_time.hpp"
#include "tests/support/json.hpp"

// Records that initialisers emit, and records that end in sinks and folds, are counted, followed and in the totals.
namespace weir::report_test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

network numbers(int count, const std::string& name = "count") {
  return source(name, gives(n), [count](emitter& emit) {
    for (int i = 0; i < count; ++i) emit(n = i);
  });
}
network store(const std::string& name = "store") {
  return box(name, takes(n), gives_none, [](std::int64_t) {});
}
network adding(const std::string& name = "add") {
  return fold(
      name, takes(n), gives(n), std::int64_t{0}, [](std::int64_t& sum, std::int64_t v) { sum += v; },
      [](std::int64_t& sum, emitter& emit) { emit(n = sum); });
}

run_report report_of(const network& net, const options& o, int sent = 0) {
  execution run = start(net, o);
  for (int i = 0; i < sent; ++i) run.send(n = i);
  if (sent > 0) run.close();
  run.wait();
  return run.report();
}

class a_closed_network : public a_report {};

TEST_F(a_closed_network, counts_what_its_source_emits_and_what_its_sink_ends) {
  const run_report r = report_of(numbers(1000) >> box("f", takes(n), gives(n), plus_one) >> store(), four_cores());
  EXPECT_EQ(r.sent, 0u);
  EXPECT_EQ(r.emitted, 1000u);
  EXPECT_EQ(r.results, 0u);
  EXPECT_EQ(r.records_ended, 1000u);
  EXPECT_GT(r.network.arrival_rate, 0);
  EXPECT_EQ(r.brief().rfind("1000 records in, 0 out, 1000 ended in sinks and folds, 0 failed, 0 dropped in ", 0), 0u)
      << r.brief();
  std::uint64_t emitted = 0, ended = 0;
  for (const history_row& row : r.history) emitted += row.emitted, ended += row.ended;
  EXPECT_EQ(emitted, 1000u);
  EXPECT_EQ(ended, 1000u);
  const json j = parsed(r.json());
  EXPECT_EQ(j.at("emitted"), 1000);
  EXPECT_EQ(j.at("records_ended"), 1000);
  EXPECT_EQ(j.at("ended"), true) << "the run has";
  EXPECT_EQ(j.at("history").at("emitted").size(), r.history.size());
  EXPECT_EQ(j.at("history").at("ended").size(), r.history.size());
}

TEST_F(a_closed_network, counts_a_record_that_a_source_returns_and_follows_it) {
  const run_report r = report_of(source("one", gives(n), [] { return std::int64_t{5}; }) >> store(), four_cores());
  EXPECT_EQ(r.emitted, 1u);
  EXPECT_EQ(r.records_ended, 1u);
  EXPECT_EQ(r.network.followed, 1u);
}

TEST_F(a_closed_network, counts_in_a_fold_the_records_for_which_it_gave_nothing) {
  const run_report sum = report_of(numbers(100) >> adding(), four_cores());
  EXPECT_EQ(sum.records_ended, 100u);
  EXPECT_EQ(sum.results, 1u);
  const network every_tenth = fold("tenth", takes(n), gives(n), 0, [](int& seen, std::int64_t v, emitter& emit) {
    if (++seen % 10 == 0) emit(n = v), emit(n = -v);
  });
  const run_report some = report_of(numbers(100) >> every_tenth >> store(), four_cores());
  EXPECT_EQ(some.records_ended, 90u + 20u);
  EXPECT_EQ(some.results, 0u);
}

TEST_F(a_closed_network, does_not_count_what_fails_in_a_sink) {
  options o = four_cores();
  o.on_error = on_error::collect;
  const network picky = box("picky", takes(n), gives_none, [](std::int64_t v) {
    if (v % 4 == 0) throw std::runtime_error("a multiple of 4");
  });
  const run_report r = report_of(numbers(1000) >> picky, o);
  EXPECT_EQ(r.failed, 250u);
  EXPECT_EQ(r.records_ended, 750u);
}

// On a clock that only the boxes move: from emission until all that the record caused has ended, and not the time that
// the source takes for it.
TEST_F(a_closed_network, has_latencies_from_emission_to_the_end) {
  const auto time = std::make_shared<virtual_time>("core:2 pu:1");
  const auto lasting = [&](const std::string& name, double seconds, bool sink) {
    const auto wait = [&time = *time, seconds] { time.advance(seconds); };
    return sink ? box(name, takes(n), gives_none, [wait](std::int64_t) { wait(); })
                : box(name, takes(n), gives(n), [wait](std::int64_t v) { return wait(), v; });
  };
  options o = on(time);
  o.capacity = 1;
  const network slow_source = source("count", gives(n), [&](emitter& emit) {
    time->advance(1000);
    for (int i = 0; i < 200; ++i) emit(n = i);
  });
  const run_report r = report_of(slow_source >> lasting("f", 0.25, false) >> lasting("g", 0.5, true), o);
  EXPECT_EQ(r.network.followed, 200u);
  EXPECT_GE(r.network.latency_p50, 0.75);
  EXPECT_LE(r.network.latency_p99, 200 * 0.75) << "it waits for the others at most, and not for the source before it";
  EXPECT_TRUE(parsed(r.json()).at("network").at("latency_p99").is_number());
  EXPECT_TRUE(std::any_of(r.history.begin(), r.history.end(), [](const history_row& h) { return h.latency_p99 > 0; }));
}

TEST_F(a_closed_network, says_whether_its_objective_was_met) {
  options o = four_cores();
  o.policy = adaptive{objective::fewest_cores({.rate = 1, .p99 = std::chrono::hours(1)})};
  const run_report met = report_of(numbers(500) >> store(), o);
  ASSERT_TRUE(met.goal.has_value());
  EXPECT_GT(met.goal->seconds, 0);
  EXPECT_EQ(met.goal->seconds_met, met.goal->seconds);
  EXPECT_NE(met.brief().find("\ngoal p99 at most 3.6e+06 ms at 1 record a second: met in "), std::string::npos)
      << met.brief();
  o.policy = adaptive{objective::fewest_cores({.rate = 1, .p99 = 1ns})};
  const run_report missed = report_of(numbers(500) >> store(), o);
  EXPECT_GT(missed.goal->seconds, 0);
  EXPECT_EQ(missed.goal->seconds_met, 0);
  const json j = parsed(missed.json());
  EXPECT_EQ(j.at("goal").at("latency_p99"), 1e-9);
  EXPECT_EQ(j.at("goal").at("rate"), 1);
  EXPECT_EQ(j.at("goal").at("seconds_met"), 0);
  EXPECT_EQ(j.at("history").at("goal_met").size(), missed.history.size());
  EXPECT_TRUE(parsed(report_of(numbers(5) >> store(), four_cores()).json()).at("goal").is_null());
}

// ---- the equation of run_report::records_ended, over random networks ----

// Networks that count for themselves the records that they multiply, consume, join and give at the end.
class random_books {
 public:
  explicit random_books(unsigned seed) : random_(seed) {}

  network whole() {
    const network rest = ends(chain(3));
    switch (number(0, 2)) {
      case 0:
        return rest;
      case 1:
        is_closed = true;
        return numbers(number(0, 200), name()) >> rest;
      default:
        return (numbers(number(1, 100), name()) | box(name(), takes(n), gives(n), plus_one)) >> rest;
    }
  }

  bool is_closed = false;
  std::atomic<std::int64_t> more{0};  // records that came to be, less those that were consumed unseen

 private:
  int number(int from, int to) { return std::uniform_int_distribution(from, to)(random_); }
  std::string name() { return "b" + std::to_string(++names_); }

  network chain(int depth) {
    network all = part(depth);
    for (int i = number(0, 2); i > 0; --i) all = all >> part(depth);
    return all;
  }

  network part(int depth) {
    const int salt = number(0, 1000), each = number(3, 9);
    const auto one_in = [salt, each](std::int64_t v) { return (v + salt) % each == 0; };
    switch (number(0, depth > 0 ? 9 : 5)) {
      case 0:
        return box(name(), takes(n), gives(n), plus_one);
      case 1:
        return box(name(), takes(n), gives(n), [one_in](std::int64_t v) {
          if (one_in(v)) throw std::runtime_error("chosen");
          return v;
        });
      case 2:
        return box(name(), takes(n), gives(n), [this, each](std::int64_t v, emitter& emit) {
          const std::int64_t copies = (v % each + each) % each % 4;
          for (int i = 0; i < copies; ++i) emit(n = v + i);
          more += copies - 1;
        });
      case 3:
        return box(name(), takes(n), gives(n), [this, one_in](std::int64_t v) -> std::optional<std::int64_t> {
          if (!one_in(v)) return v;
          --more;
          return std::nullopt;
        });
      case 4:  // gives one for some, nothing for others, and one more at the end
        return fold(
            name(), takes(n), gives(n), std::int64_t{0},
            [one_in](std::int64_t& last, std::int64_t v, emitter& emit) {
              if (one_in(v)) emit(n = v);
              last = v;
            },
            [this](std::int64_t& last, emitter& emit) {
              emit(n = last);
              ++more;
            });
      case 5:
        return box(name(), takes(n), gives(n, x),
                   [one_in](std::int64_t v) { return std::tuple(v, std::int64_t{one_in(v)}); }) >>
               (filter(takes(n, x)).when(x == 1).emit(n = n) | box(name(), takes(n), gives(n), plus_one));
      case 6:
        return box(name(), takes(n), gives(n, k), [each](std::int64_t v) { return std::tuple(v, v % each); }) >>
               split(chain(0), k);
      case 7:
        return ordered(chain(depth - 1));
      case 8:  // part goes to a sink
        return box(name(), takes(n), gives(n, x) | gives(n, y),
                   [one_in](std::int64_t v, emitter& emit) { one_in(v) ? emit(n = v, x = 1) : emit(n = v, y = 1); }) >>
               (box(name(), takes(n, x), gives_none, [](std::int64_t, std::int64_t) {}) |
                filter(takes(n, y)).emit(n = n));
      default:
        return chain(depth - 1);
    }
  }

  network ends(const network& before) {
    switch (number(0, 2)) {
      case 0:
        return before;
      case 1:
        return before >> store(name());
      default:
        return before >> fold(
                             name(), takes(n), gives(n), std::int64_t{0},
                             [](std::int64_t& sum, std::int64_t v) { sum += v; },
                             [this](std::int64_t& sum, emitter& emit) {
                               emit(n = sum);
                               ++more;
                             });
    }
  }

  std::mt19937 random_;
  int names_ = 0;
};

TEST_F(a_closed_network, and_any_other_neither_gains_nor_loses_records) {
  std::uint64_t ended = 0, failed = 0, emitted = 0;
  for (unsigned seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    random_books books(seed);
    const network net = books.whole();
    options o = four_cores();
    o.on_error = on_error::collect;
    o.capacity = seed % 3;
    execution run = start(net, o);
    if (!books.is_closed) {
      for (int i = 0; i < 100; ++i) run.send(n = i, t = i % 5);
      run.close();
    }
    run.wait();
    const run_report r = run.report();
    EXPECT_EQ(static_cast<std::int64_t>(r.sent + r.emitted) + books.more.load(),
              static_cast<std::int64_t>(r.results + r.records_ended + r.failed + r.dropped + r.held))
        << to_string(net);
    ended += r.records_ended, failed += r.failed, emitted += r.emitted;
  }
  EXPECT_GT(ended, 100u);
  EXPECT_GT(failed, 100u);
  EXPECT_GT(emitted, 100u);
}

}  // namespace
}  // namespace weir::report_test
