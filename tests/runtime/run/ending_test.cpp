#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "tests/runtime/engine/a_stream.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/threads.hpp"

// Streams that end by errors, by a stop, or with their run.
namespace weir {
namespace {

using namespace testing;

// ---- drained ----

// The worker that does the last work ends then, and not with the execution. The controller's thread stays.
TEST_F(a_stream, that_drains_needs_no_worker_any_more) {
  gate held;
  const int before = thread_count();
  execution run = start(box("f", takes(n), gives(n),
                            [&](std::int64_t v) {
                              held.pass();
                              return v;
                            }),
                        on("core:1 pu:1"));
  run.send(n = 1);
  run.close();
  EXPECT_TRUE(held.wait_for_arrivals(1));
  EXPECT_EQ(thread_count(), before + 2);
  held.open();
  run.wait();
  EXPECT_TRUE(eventually([&] { return thread_count() == before + 1; }));
  EXPECT_EQ(all_of(run).size(), 1u);
}

// The state that a box keeps on a thread lives as long as the run, whether it has drained or not.
TEST_F(a_stream, that_drains_still_has_what_its_boxes_keep) {
  gate held;
  const auto kept = std::make_shared<int>(0);
  {
    execution run = start(box("f", takes(n), gives(n),
                              [&](std::shared_ptr<int>&, std::int64_t v) {
                                held.pass();
                                return v;
                              })
                              .each_lane([&] { return kept; }),
                          on("core:1 pu:1"));
    run.send(n = 1);
    run.close();
    EXPECT_TRUE(held.wait_for_arrivals(1));
    const long used = kept.use_count();
    held.open();
    run.wait();
    EXPECT_EQ(kept.use_count(), used);
  }
  EXPECT_EQ(kept.use_count(), 1);
}

// ---- errors ----

network failing_at(std::int64_t bad) {
  return box("fails", takes(n), gives(n), [bad](std::int64_t v) {
    if (v % bad == bad - 1) throw std::runtime_error("bad value");
    return v;
  });
}

TEST_F(a_stream, that_stops_on_errors_throws_the_error_after_the_results_before_it) {
  execution run = start(failing_at(10), on("core:1 pu:1"));
  for (int i = 0; i < 10; ++i) run.send(n = i);
  run.close();
  std::int64_t next = 0;
  try {
    for (const record& r : run) EXPECT_EQ(r[n], next++);
    FAIL() << "the error must reach the reader";
  } catch (const run_error& error) {
    EXPECT_STREQ(error.what(), "fails: the box threw \"bad value\"; record {<n>=9}") << "a box alone has no position";
  }
  EXPECT_LE(next, 9);
  EXPECT_THROW(run.wait(), run_error);
  EXPECT_THROW(run.send(n = 1), run_error);
}

TEST_F(a_stream, that_stops_on_errors_wakes_a_blocked_send_with_the_error) {
  gate held;
  const network net = box("f", takes(n), gives(n), [&](std::int64_t v) {
    held.pass();
    if (v == 0) throw std::runtime_error("first");
    return v;
  });
  execution run = start(net, on("core:2 pu:1", 1));
  std::string what;
  std::thread sender([&] {
    try {
      for (int i = 0;; ++i) run.send(n = i);
    } catch (const run_error& error) {
      what = error.what();
    }
  });
  EXPECT_TRUE(held.wait_for_arrivals(1));
  held.open();
  sender.join();
  EXPECT_NE(what.find("first"), std::string::npos) << what;
}

TEST_F(a_stream, that_collects_errors_loses_nothing_else) {
  options o = on("core:4 pu:1", 8);
  o.on_error = on_error::collect;
  execution run = start(counting("f") >> failing_at(7) >> counting("g"), o);
  constexpr int count = 7000;
  sender_thread sender(run, count, [](std::int64_t i) { return record{n = i, s = long_text(i)}; });
  std::int64_t results = 0, last = -1;
  for (const record& r : run) {
    EXPECT_GT(r[n], last);
    last = r[n];
    ++results;
  }
  sender.join();
  EXPECT_EQ(results, count - count / 7);
  EXPECT_EQ(run.errors().size(), static_cast<std::size_t>(count / 7));
  const run_report r = run.report();
  EXPECT_EQ(r.failed, static_cast<std::uint64_t>(count / 7));
  EXPECT_EQ(r.dropped, 0u);
  expect_counts_add_up(r);
  run.wait();
}

// ---- stopping and destruction ----

TEST_F(a_stream, that_is_stopped_in_the_middle_accounts_for_every_record) {
  gate held;
  execution run = start(counting("f") >> gated(held) >> counting("g"), on("core:2 pu:1", 16));
  int sent = 0;
  while (run.try_send(n = sent, s = long_text(sent))) ++sent;
  EXPECT_TRUE(held.wait_for_arrivals(1));
  std::thread([&] { run.stop(); }).join();
  held.open();
  std::uint64_t results = 0;
  for (const record& r : run) {
    EXPECT_EQ(r[n], static_cast<std::int64_t>(results) + 2);
    ++results;
  }
  run.wait();
  EXPECT_TRUE(eventually(
      [&] {
        const run_report r = run.report();
        return r.sent == r.results + r.failed + r.dropped;
      },
      std::chrono::seconds(3)));
  expect_counts_add_up(run.report());
  EXPECT_EQ(run.report().sent, static_cast<std::uint64_t>(sent));
}

TEST_F(a_stream, that_is_stopped_by_another_thread_wakes_sender_and_reader) {
  gate held;
  execution run = start(gated(held), on("core:2 pu:1", 1));
  bool woken = false;
  std::thread sender([&] {
    try {
      for (int i = 0;; ++i) run.send(n = i);
    } catch (const run_error&) {
      woken = true;
    }
  });
  std::thread stopper([&] {
    EXPECT_TRUE(held.wait_for_arrivals(1));
    run.stop();
    held.open();
  });
  for (const record& r : run) (void)r;  // the loop ends
  sender.join();
  stopper.join();
  EXPECT_TRUE(woken);
  run.wait();
}

TEST_F(a_stream, that_is_stopped_at_any_moment_reports_no_error) {
  const int rounds = slow ? 100 : 300;
  for (int i = 0; i < rounds; ++i) {
    execution run = start(counting("f") >> counting("g"), on("core:4 pu:1", 4));
    std::thread stopper([&] { run.stop(); });
    try {
      for (int j = 0; j < i % 10; ++j) run.send(n = j);
    } catch (const send_error&) {  // after the stop
    }
    stopper.join();
    EXPECT_NO_THROW({
      for (const record& r : run) (void)r;
      run.wait();
    });
    EXPECT_TRUE(run.errors().empty());
  }
}

TEST_F(a_stream, may_be_destroyed_in_the_middle) {
  const int rounds = slow ? 50 : 200;
  for (int i = 0; i < rounds; ++i) {
    execution run = start(counting("f") >> counting("g") >> counting("h"), on("core:3 pu:1", 8));
    for (int j = 0; j < i; ++j) run.send(n = j, s = long_text(j));
    if (i % 3 == 0) run.close();
    if (i % 5 == 0 && i > 0) {
      auto result = run.begin();
      (void)result;
    }
  }
}

TEST_F(a_stream, may_be_destroyed_unused) {
  const int rounds = slow ? 20 : 100;
  for (int i = 0; i < rounds; ++i) {
    const execution run = start(counting("f"), on("core:3 pu:1"));
    (void)run;
  }
}

TEST_F(a_stream, can_be_moved) {
  execution run = start(counting("f"), on("core:2 pu:1"));
  run.send(n = 1);
  execution other = std::move(run);
  other.send(n = 2);
  other.close();
  EXPECT_EQ(all_of(other).size(), 2u);
  other = start(counting("f"), on("core:2 pu:1"));
  other.close();
  EXPECT_TRUE(all_of(other).empty());
}

TEST_F(a_stream, that_is_stopped_while_boxes_emit_gives_the_beginning_of_what_it_would_have_given) {
  // One invocation is interrupted where it waits for free places; the outputs of later inputs in its batch must not
  // appear.
  const network thrice = box("thrice", takes(n), gives(n), [](std::int64_t v, emitter& emit) {
    for (int i = 0; i < 3; ++i) emit(n = 3 * v + i);
  });
  for (int k = 0; k < 200; ++k) {
    execution run = start(thrice >> counting("behind"), on("core:2 pu:1", 4));
    std::thread sender([&] {
      try {
        for (int i = 0; i < 2000; ++i) run.send(n = i);
        run.close();
      } catch (const send_error&) {  // stopped
      }
    });
    std::int64_t next = 0;
    for (const record& r : run) {
      ASSERT_EQ(r[n], 1 + next++) << "run " << k;
      if (next == 30 + k) run.stop();
    }
    sender.join();
  }
}

}  // namespace
}  // namespace weir
