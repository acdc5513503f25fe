#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stop_token>
#include <thread>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/gives_all_back.hpp"

// A run can be stopped from outside, by a token.
namespace weir {
namespace {

using namespace testing;

using a_stop_token = gives_all_back;

TEST_F(a_stop_token, ends_the_run_and_all_is_accounted_for) {
  for (const char* cores : {"core:1 pu:1", "core:8 pu:1"}) {
    std::stop_source stop;
    options o;
    o.machine = machine::synthetic(cores);
    o.stop = stop.get_token();
    o.capacity = 4;
    execution run = start(bypass() >> box("solve", takes(n), gives(n), [](std::int64_t v) { return v; }), o);
    std::thread sender([&] {
      try {
        for (std::int64_t i = 0;; ++i) run.send(n = i);
      } catch (const send_error& e) {
        EXPECT_EQ(e.details().cause, "send after stop");
      }
    });
    std::size_t got = 0;
    for (const record& r : run) {
      EXPECT_EQ(r[n], static_cast<std::int64_t>(got));
      if (++got == 100) stop.request_stop();
    }
    sender.join();
    run.wait();
    const run_report r = run.report();
    EXPECT_EQ(r.results, got);
    EXPECT_EQ(r.sent, r.results + r.dropped);
  }
}

// Iteration ends when no more results come: the reader gets the results of invocations that ran at the stop.
TEST_F(a_stop_token, lets_the_reader_have_what_running_invocations_give) {
  std::stop_source stop;
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  o.stop = stop.get_token();
  gate held;
  execution run = start(box("solve", takes(n), gives(n),
                            [&](std::int64_t v) {
                              held.pass();
                              return v;
                            }),
                        o);
  run.send(n = 7);
  ASSERT_TRUE(held.wait_for_arrivals(1));
  stop.request_stop();
  std::atomic<bool> reads{false};
  std::thread opener([&] {
    while (!reads.load()) std::this_thread::yield();
    held.open();
  });
  reads.store(true);
  EXPECT_EQ(all_of(run).size(), 1u);
  opener.join();
  EXPECT_EQ(run.report().results, 1u);
  EXPECT_EQ(run.report().dropped, 0u);
}

TEST_F(a_stop_token, that_has_stopped_already_lets_nothing_in) {
  std::stop_source stop;
  stop.request_stop();
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  o.stop = stop.get_token();
  execution run = start(bypass(), o);
  EXPECT_THROW(run.send(n = 1), send_error);
  EXPECT_EQ(all_of(run).size(), 0u);
  EXPECT_EQ(run.report().sent, 0u);
}

TEST_F(a_stop_token, may_be_asked_at_any_time_and_when_the_run_is_gone) {
  for (int i = 0; i < 50; ++i) {
    std::stop_source stop;
    options o;
    o.machine = machine::synthetic("core:2 pu:1");
    o.stop = stop.get_token();
    std::thread other([&] { stop.request_stop(); });
    { const execution run = start(bypass() >> bypass(), o); }
    other.join();
    stop.request_stop();
  }
}

}  // namespace
}  // namespace weir
