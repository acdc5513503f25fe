#include <atomic>
#include <condition_variable>
#include <mutex>

#include "tests/runtime/engine/a_stream.hpp"
#include "tests/support/peak_count.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using namespace testing;

// Boxes that wait for a disk or a server, on threads outside the cores.

class a_blocking_box : public gives_all_back {};

TEST_F(a_blocking_box, waits_in_more_invocations_at_once_than_there_are_cores) {
  gate answered;
  execution run = start(counting("before") >> box("ask", takes(n), gives(n),
                                                  [&](std::int64_t v) {
                                                    answered.pass();
                                                    return v;
                                                  })
                                                  .blocking(8) >>
                            counting("behind"),
                        on("core:1 pu:1"));
  for (int i = 0; i < 20; ++i) run.send(n = i);
  EXPECT_TRUE(answered.wait_for_arrivals(8));
  answered.open();
  run.close();
  std::int64_t next = 0;
  for (const record& r : run) EXPECT_EQ(r[n], 2 + next++) << "in the order of the inputs";
  EXPECT_EQ(next, 20);
}

// A source that continues once its records were handled can do so on one core, since it does not wait there.
TEST_F(a_blocking_box, may_be_a_source) {
  for (const bool is_ordered : {false, true}) {
    std::mutex mutex;
    std::condition_variable changed;
    std::int64_t handled = 0;
    const network ask = source("ask", gives(n), [&](emitter& emit) {
                          for (std::int64_t i = 0; i < 100; ++i) {
                            emit(n = i);
                            std::unique_lock lock(mutex);
                            changed.wait(lock, [&] { return handled > i; });
                          }
                        }).blocking();
    const network answer = box("answer", takes(n), gives(n), [&](std::int64_t v) {
      {
        const std::lock_guard lock(mutex);
        handled = v + 1;
      }
      changed.notify_all();
      return v;
    });
    execution run = start(is_ordered ? ordered(ask >> answer) : ask >> answer, on("core:1 pu:1"));
    std::int64_t next = 0;
    for (const record& r : run) EXPECT_EQ(r[n], next++);
    EXPECT_EQ(next, 100);
  }
}

TEST_F(a_blocking_box, never_runs_in_more_invocations_than_it_may) {
  for (const int most : {1, 3}) {
    peak_count inside;
    const network ask = box("ask", takes(n), gives(n), [&](std::int64_t v) {
                          const peak_count::visit here(inside);
                          std::this_thread::yield();
                          return v;
                        }).blocking(most);
    // At two places, which share its permits.
    execution run = start(split(ask, k) >> counting("between") >> split(ask, k), on("core:4 pu:1"));
    for (int i = 0; i < 2000; ++i) run.send(n = i, k = i % 3);
    run.close();
    EXPECT_EQ(all_of(run).size(), 2000u);
    EXPECT_LE(inside.peak(), most);
  }
}

TEST_F(a_blocking_box, keeps_no_core_from_others) {
  gate answered;
  const network ask = box("ask", takes(a), gives(a), [&](int v) {
                        answered.pass();
                        return v;
                      }).blocking(4);
  execution run = start(ask | counting("compute"), on("core:1 pu:1"));
  for (int i = 0; i < 4; ++i) run.send(a = i);
  ASSERT_TRUE(answered.wait_for_arrivals(4));
  for (int i = 0; i < 100; ++i) run.send(n = i);
  auto result = run.begin();
  for (int i = 0; i < 100; ++i) {
    if (i > 0) ++result;
    EXPECT_EQ((*result)[n], i + 1);
  }
  answered.open();
  run.close();
  ++result;
  int asked = 0;
  for (; result != run.end(); ++result) asked += result->contains(a);
  EXPECT_EQ(asked, 4);
}

TEST_F(a_blocking_box, is_given_no_core_by_any_policy) {
  for (const policy& p : {policy(adaptive{objective::throughput}), policy(adaptive{objective::latency}),
                          policy(equal_shares{}), policy(best_fixed{})}) {
    options how = on("core:4 pu:1");
    how.policy = p;
    std::atomic<int> cores_seen{0};
    how.on_observation = [&](std::string_view component, const observation& o) {
      if (component == "ask") cores_seen = std::max(cores_seen.load(), o.cores);
    };
    execution run = start(counting("before") >> box("ask", takes(n), gives(n),
                                                    [](const grant& g, std::int64_t v) {
                                                      EXPECT_EQ(g.size(), 1);
                                                      EXPECT_TRUE(g.cpus().empty());
                                                      std::this_thread::yield();
                                                      return v;
                                                    })
                                                    .blocking(16) >>
                              counting("behind"),
                          how);
    for (int i = 0; i < (slow ? 300 : 3000); ++i) run.send(n = i);
    run.close();
    run.wait();
    const run_report r = run.report();
    const auto ask = std::find_if(r.components.begin(), r.components.end(), [](auto& c) { return c.name == "ask"; });
    ASSERT_NE(ask, r.components.end());
    EXPECT_EQ(ask->cores, 0) << p.name();
    EXPECT_EQ(ask->place, "outside the cores, 16 at once");
    EXPECT_EQ(cores_seen.load(), 1);
    EXPECT_EQ(all_of(run).size(), slow ? 300u : 3000u);
  }
}

TEST_F(a_blocking_box, may_emit_and_fail_like_any_other) {
  options how = on("core:1 pu:1", 2);
  how.on_error = on_error::collect;
  execution run = start(box("ask", takes(n), gives(n),
                            [](std::int64_t v, emitter& emit) {
                              if (v % 3 == 0) throw std::runtime_error("no answer");
                              for (int i = 0; i < 5; ++i) emit(n = v);
                            }).blocking(5) >>
                            counting("behind"),
                        how);
  for (int i = 0; i < 30; ++i) run.send(n = i);
  run.close();
  std::size_t count = 0;
  for (const record& r : run) count += r[n] > 0;
  EXPECT_EQ(count, 100u);
  EXPECT_EQ(run.report().failed, 10u);
}

TEST_F(a_blocking_box, sees_in_its_grant_that_the_run_stops_while_it_waits) {
  gate answered;
  execution run = start(box("ask", takes(n), gives(n),
                            [&](const grant& g, std::int64_t v) {
                              const std::stop_callback give_up(g.stop(), [&] { answered.open(); });
                              answered.pass();
                              return v;
                            })
                            .blocking(3),
                        on("core:1 pu:1", 16));
  for (int i = 0; i < 10; ++i) run.send(n = i);  // all find free places, whatever runs
  ASSERT_TRUE(answered.wait_for_arrivals(3));
  run.stop();
  std::int64_t next = 0;
  for (const record& r : run) EXPECT_EQ(r[n], next++) << "a stop leaves no gap";
  EXPECT_LE(next, 3);
}

TEST_F(a_blocking_box, that_runs_a_network_needs_no_core_for_the_wait) {
  const options how = on("core:1 pu:1");
  execution run = start(box("ask", takes(n), gives(n),
                            [&](std::int64_t v) {
                              execution inner = start(counting("f"), how);
                              inner.send(n = v);
                              inner.close();
                              std::int64_t sum = 0;
                              for (const record& r : inner) sum += r[n];
                              return sum;
                            })
                            .blocking(4),
                        how);
  for (int i = 0; i < 40; ++i) run.send(n = i);
  run.close();
  std::int64_t next = 0;
  for (const record& r : run) EXPECT_EQ(r[n], 1 + next++);
  EXPECT_EQ(next, 40);
}

TEST(blocking, is_refused_with_numbers_that_make_no_sense) {
  const auto ask = box("ask", takes(n), gives(n), plus_one);
  EXPECT_EQ(refusal([&] { ask.blocking(0); }), "box ask: blocking(0), expected 1 to 4096");
  EXPECT_EQ(refusal([&] { ask.blocking(5000); }), "box ask: blocking(5000), expected 1 to 4096");
  EXPECT_EQ(refusal([&] { ask.cores(2, 4).blocking(3); }),
            "box ask: cores(2, ..) and blocking(): it runs on threads outside the cores");
}

}  // namespace
}  // namespace weir
