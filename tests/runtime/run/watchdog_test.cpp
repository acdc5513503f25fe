#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/moved_time.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/log_lines.hpp"

// Invocations that hang are reported, and long ones are not. The test sets the time and counts the watchdog's checks,
// so a missing report is not just a late one.
namespace weir {
namespace {

using namespace testing;

class the_watchdog : public gives_all_back {
 protected:
  options watched() {
    options o;
    o.machine = machine(std::make_shared<detail::machine_state>(time));
    o.policy = fixed_shares{{"solve", 1}};
    o.watchdog.on_hang = [this](const hang& h) {
      const std::lock_guard lock(mutex_);
      said_.push_back(h);
    };
    return o;
  }
  std::vector<hang> said() {
    const std::lock_guard lock(mutex_);
    return said_;
  }

  const std::shared_ptr<moved_time> time = std::make_shared<moved_time>();
  gate held;
  log_lines logged;

 private:
  std::mutex mutex_;
  std::vector<hang> said_;
};

// Returns its input after `seconds`; for 99 only once the gate is open.
network solve(gate& held, moved_time* time = nullptr, double seconds = 0) {
  return box("solve", takes(n), gives(n),
             [&held, time, seconds](std::int64_t v) {
               if (time) time->advance(seconds);
               if (v == 99) held.pass();
               return v;
             })
      .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{1});
}

TEST_F(the_watchdog, names_the_box_its_path_x_and_how_long_once_and_the_run_goes_on) {
  execution run = start(bypass() >> split(solve(held, time.get(), 1e-3), k), watched());
  for (int i = 0; i < 20; ++i) run.send(n = i, k = 7);
  run.send(n = 99, k = 7, s = "a text");
  ASSERT_TRUE(held.wait_for_arrivals(1));
  time->freeze();
  time->advance(9);
  ASSERT_TRUE(time->wait_for_checks());
  EXPECT_TRUE(said().empty()) << "less than at_least";
  time->advance(6);
  ASSERT_TRUE(eventually([&] { return !said().empty(); }));
  const hang h = said().front();
  EXPECT_EQ(h.component, "solve");
  EXPECT_EQ(h.path, ":S2:I7");
  EXPECT_EQ(h.x, 99);
  EXPECT_EQ(h.cores, 1);
  EXPECT_EQ(h.record, "{s, <k>=7, <n>=99}") << "the values of its tags";
  EXPECT_GE(h.seconds, 15);
  EXPECT_NEAR(h.expected, 1e-3, 1e-3) << "what its model has learnt";
  EXPECT_NE(to_string(h).find("solve at :S2:I7 has been running for 15"), std::string::npos) << to_string(h);
  EXPECT_NE(to_string(h).find(" s at x = 99 on 1 core; "), std::string::npos) << to_string(h);
  const run_report during = run.report();
  ASSERT_EQ(during.hanging.size(), 1u);
  EXPECT_EQ(during.hung, 1u);
  for (const std::string& text : {during.brief(), during.full()}) {
    EXPECT_NE(text.find("solve at :S2:I7 has been running"), std::string::npos) << text;
    EXPECT_NE(text.find("; record {s, <k>=7, <n>=99}"), std::string::npos) << text;
  }
  EXPECT_NE(during.json().find("\"record\":\"{s, <k>=7, <n>=99}\""), std::string::npos) << during.json();
  EXPECT_TRUE(eventually([&] { return logged.with("solve at :S2:I7 has been running").size() == 2; }))
      << "that it hangs, and that nothing moves";
  EXPECT_NE(during.json().find("\"component\":\"solve\""), std::string::npos) << during.json();
  time->advance(100);
  ASSERT_TRUE(time->wait_for_checks());
  held.open();
  run.close();
  EXPECT_EQ(all_of(run).size(), 21u);
  EXPECT_EQ(said().size(), 1u) << "it is said once";
  EXPECT_TRUE(eventually([&] { return run.report().hanging.empty(); })) << "it no longer hangs";
  EXPECT_EQ(run.report().hung, 1u);
}

TEST_F(the_watchdog, measures_by_what_the_model_expects) {
  execution run = start(solve(held, time.get(), 5), watched());
  for (int i = 0; i < 20; ++i) run.send(n = i);
  run.send(n = 99);
  ASSERT_TRUE(held.wait_for_arrivals(1));
  time->advance(30);
  ASSERT_TRUE(time->wait_for_checks());
  EXPECT_TRUE(said().empty()) << "7 times what is expected";
  time->advance(1000);
  ASSERT_TRUE(eventually([&] { return !said().empty(); }));
  EXPECT_NEAR(said().front().expected, 5, 1);
  held.open();
  run.close();
  EXPECT_EQ(all_of(run).size(), 21u);
}

TEST_F(the_watchdog, waits_longer_where_nothing_is_known) {
  execution run = start(solve(held), watched());
  run.send(n = 99);
  ASSERT_TRUE(held.wait_for_arrivals(1));
  time->advance(50);
  ASSERT_TRUE(time->wait_for_checks());
  EXPECT_TRUE(said().empty());
  time->advance(20);
  ASSERT_TRUE(eventually([&] { return !said().empty(); }));
  EXPECT_TRUE(std::isnan(said().front().expected));
  held.open();
  run.close();
  EXPECT_EQ(all_of(run).size(), 1u);
}

TEST_F(the_watchdog, names_a_short_box_that_is_not_timed) {
  options o = watched();
  o.policy = adaptive{objective::throughput};
  execution run = start(bypass() >> solve(held) >> bypass(), o);
  std::int64_t sent = 0;
  const auto is_short = [&] {
    run.send(n = sent++ % 64);
    return run.report().components[0].place == "inline";
  };
  ASSERT_TRUE(eventually(is_short));
  run.send(n = 99), ++sent;
  ASSERT_TRUE(held.wait_for_arrivals(1));
  ASSERT_TRUE(time->wait_for_checks()) << "an invocation that is not timed begins with the first look at it";
  time->advance(15);
  ASSERT_TRUE(eventually([&] { return !said().empty(); }));
  EXPECT_EQ(said().back().component, "solve");
  EXPECT_EQ(said().back().path, ":S2");
  EXPECT_GE(said().back().seconds, 10);
  EXPECT_LT(said().back().expected, 1e-3);
  EXPECT_TRUE(std::isnan(said().back().x) || said().back().x == 99) << "one in 64 is timed";
  held.open();
  run.close();
  EXPECT_EQ(static_cast<std::int64_t>(all_of(run).size()), sent);
}

TEST_F(the_watchdog, does_not_take_for_a_hang_what_emits_or_waits_for_room) {
  const network many = box("solve", takes(n), gives(n), [&](std::int64_t v, emitter& emit) {
    for (std::int64_t i = 0; i < v; ++i) {
      emit(n = i);
      time->advance(2);  // little: a look may read the time some emissions later than when the last one was
      if (i % 8 == 0) {
        EXPECT_TRUE(time->wait_for_checks());
      }
    }
  });
  options o = watched();
  o.watchdog.unknown = 20;
  o.capacity = o.results_capacity = 4;
  execution run = start(many >> bypass(), o);
  run.send(n = 24);
  run.close();
  ASSERT_TRUE(eventually([&] {  // it waits for a reader
    const run_report r = run.report();
    return r.streams.back().peak == 4;
  }));
  time->advance(1000);
  EXPECT_TRUE(eventually([&] { return !o.machine.state()->is_watching(); })) << "nothing runs";
  EXPECT_EQ(all_of(run).size(), 24u);
  EXPECT_TRUE(said().empty()) << to_string(said().front());
}

TEST_F(the_watchdog, leaves_initialisers_alone_and_may_be_off) {
  const network reads = source("reads", gives(n), [&](emitter& emit) {
    held.pass();
    emit(n = 1);
  });
  options any = watched();
  any.policy = adaptive{objective::throughput};
  execution run = start(reads, any);
  options off = watched();
  off.watchdog.at_least = std::numeric_limits<double>::infinity();
  execution unwatched = start(solve(held), off);
  unwatched.send(n = 99);
  ASSERT_TRUE(held.wait_for_arrivals(2));
  time->advance(1000);
  ASSERT_TRUE(time->wait_for_checks());
  held.open();
  run.close();
  unwatched.close();
  EXPECT_EQ(all_of(run).size(), 1u);
  EXPECT_EQ(all_of(unwatched).size(), 1u);
  EXPECT_TRUE(said().empty()) << to_string(said().front());
}

TEST_F(the_watchdog, sleeps_when_nothing_runs_and_wakes_when_something_does) {
  const options o = watched();
  execution run = start(solve(held), o);
  for (int round = 0; round < 3; ++round) {
    run.send(n = round);
    ASSERT_TRUE(eventually([&] { return run.report().results == static_cast<std::uint64_t>(round) + 1; }));
    EXPECT_TRUE(time->wait_for_checks());
    time->advance(5);
    EXPECT_TRUE(eventually([&] { return !o.machine.state()->is_watching(); })) << "no thread works";
  }
  run.send(n = 99);
  ASSERT_TRUE(held.wait_for_arrivals(1));
  EXPECT_TRUE(o.machine.state()->is_watching());
  time->advance(2000);
  EXPECT_TRUE(eventually([&] { return !said().empty(); }));
  held.open();
  run.close();
  EXPECT_EQ(all_of(run).size(), 4u);
}

TEST_F(the_watchdog, may_stop_the_run_whose_box_then_sees_it_and_gives_up) {
  std::atomic<bool> hangs{false};
  const network patient = box("solve", takes(n), gives(n), [&](const grant& given, std::int64_t v) -> std::int64_t {
    gate ended;
    const std::stop_callback wake(given.stop(), [&] { ended.open(); });
    if (v == 99) {
      hangs.store(true);
      ended.pass();
    }
    if (given.stop().stop_requested()) throw std::runtime_error("given up");
    return v;
  });
  options o = watched();
  o.on_error = on_error::collect;
  o.capacity = 64;
  execution* running = nullptr;
  o.watchdog.on_hang = [&](const hang&) { running->stop(); };
  execution run = start(patient, o);
  running = &run;
  for (int i = 90; i < 100; ++i) run.send(n = i);  // none behind it, which would see the stop, too
  ASSERT_TRUE(eventually([&] { return hangs.load(); }));
  ASSERT_TRUE(time->wait_for_checks());
  time->advance(2000);
  const std::size_t got = all_of(run).size();
  run.wait();
  const run_report r = run.report();
  EXPECT_LE(got, 9u);
  EXPECT_EQ(r.failed, 1u) << "that which gave up";
  EXPECT_EQ(r.sent, r.results + r.failed + r.dropped);
}

TEST_F(the_watchdog, that_throws_is_noted_and_nothing_ends) {
  options o = watched();
  o.watchdog.on_hang = [](const hang&) { throw std::runtime_error("no mail server"); };
  execution run = start(solve(held), o);
  run.send(n = 99);
  ASSERT_TRUE(held.wait_for_arrivals(1));
  time->advance(100);
  EXPECT_TRUE(eventually([&] { return !run.report().notes.empty(); }));
  EXPECT_EQ(run.report().notes.front(), "options.watchdog.on_hang threw \"no mail server\"");
  held.open();
  run.close();
  EXPECT_EQ(all_of(run).size(), 1u);
}

// In a callback the run must not be waited for, since it may wait for the callback.
TEST_F(the_watchdog, refuses_to_wait_for_the_run_in_on_hang) {
  execution* itself = nullptr;
  std::atomic<int> refused{0};
  const auto is_refused = [&](const auto& call) {
    try {
      call();
    } catch (const std::logic_error&) {
      ++refused;
    }
  };
  options o = watched();
  o.watchdog.on_hang = [&](const hang&) {
    itself->stop();
    is_refused([&] { itself->wait(); });
    is_refused([&] { itself->begin(); });
    held.open();
  };
  execution run = start(solve(held), o);
  itself = &run;
  run.send(n = 99);
  ASSERT_TRUE(held.wait_for_arrivals(1));
  time->advance(100);
  EXPECT_EQ(all_of(run).size(), 1u);
  EXPECT_EQ(refused, 2);
}

TEST_F(the_watchdog, refuses_limits_that_make_no_sense) {
  const auto refused = [](const watchdog& w) {
    options o;
    o.watchdog = w;
    try {
      o.validate();
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("taken");
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refused({.at_least = 0}), "options.watchdog.at_least is 0, expected seconds beyond 0");
  EXPECT_EQ(refused({.unknown = nan}), "options.watchdog.unknown is nan, expected seconds beyond 0");
  EXPECT_EQ(refused({.times = 0.5}), "options.watchdog.times is 0.5, expected at least 1");
}

}  // namespace
}  // namespace weir
