#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "tests/runtime/engine/a_stream.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/sanitizers.hpp"

// Boxes that emit without end.
namespace weir {
namespace {

using namespace testing;

constexpr std::int64_t many = slow ? 1'000'000 : 2'000'000;

network emitting_many(std::int64_t count) {
  return box("many", takes(n), gives(k), [count](std::int64_t, emitter& emit) {
    for (std::int64_t i = 0; i < count; ++i) emit(k = i);
  });
}

// A box emits two million records from one input. The chain behind it holds a bounded number of them at any time, and
// all of them arrive, in order.
void expect_bounded_emission(options o, const std::string& what) {
  // Three streams of 1024, batches of 64 on the way in and out of each box, and the same amount kept by pools.
  constexpr long long bound = 2 * (3 * 1024 + 8 * 64);
  const long long before = pool::live();
  std::atomic<long long> peak{0};
  std::int64_t next = 0, sum = 0;
  bool in_order = true;
  const network net = emitting_many(many) >> box("half", takes(k), gives(k),
                                                 [](std::int64_t v) -> std::optional<std::int64_t> {
                                                   if (v % 2) return std::nullopt;
                                                   return v / 2;
                                                 }) >>
                      box("reduce", takes(k), gives(t), [&](std::int64_t v) -> std::optional<std::int64_t> {
                        in_order = in_order && v == next;
                        ++next;
                        sum += v;
                        if (v % 1024 == 0) peak = std::max(peak.load(), pool::live() - before);
                        if (next < many / 2) return std::nullopt;
                        return sum;
                      }).serial();
  execution run = start(net, std::move(o));
  run.send(n = 1);
  run.close();
  const auto got = all_of(run);
  EXPECT_TRUE(in_order) << what;
  ASSERT_EQ(got.size(), 1u) << what;
  EXPECT_EQ(got[0][t], (many / 2) * (many / 2 - 1) / 2) << what;
  EXPECT_LT(peak, bound) << what << ": records live at once";
}

TEST_F(a_stream, holds_a_bounded_number_of_what_a_box_emits_without_end) {
  expect_bounded_emission(on("core:2 pu:1"), "adaptive on two cores");
}

TEST_F(a_stream, holds_a_bounded_number_where_emitter_and_consumers_share_one_core) {
  expect_bounded_emission(on("core:1 pu:1"), "one core");
}

TEST_F(a_stream, holds_a_bounded_number_where_every_box_has_a_core_of_its_own) {
  options o = on("core:3 pu:1");
  o.policy = fixed_shares{{"many", 1}, {"half", 1}, {"reduce", 1}};
  expect_bounded_emission(o, "a core each");
}

// A box that waits for room goes on with any core of its group that is free. Here a long box has the core that the
// source left, and keeps it until the source has sent all.
TEST_F(a_stream, that_has_room_again_lets_its_source_go_on_though_a_long_box_has_taken_the_core) {
  constexpr std::int64_t count = 200;
  gate sorts_begins, long_begins, all_sent;
  bool was_in_time = false;
  const network numbers = source("numbers", gives(n), [&](emitter& emit) {
    emit(n = 1);
    sorts_begins.pass();  // so that the source does not run it, in order to make room
    for (std::int64_t i = 2; i <= count; ++i) emit(n = i);
    all_sent.open();
  });
  const network sorts = box("sorts", takes(n), gives(n) | gives(n, k), [&](std::int64_t i, emitter& emit) {
                          if (i > 1) return emit(n = i);
                          sorts_begins.open();
                          emit(n = i, k = 1);
                          long_begins.pass();
                        }).serial();
  const network lasts = box("long", takes(n, k), gives(n), [&](std::int64_t i, std::int64_t) {
    long_begins.open();
    was_in_time = all_sent.pass();
    return i;
  });
  execution run = start(numbers >> sorts >> (lasts | counting("short")), on("core:2 pu:1", 4));
  EXPECT_EQ(all_of(run).size(), static_cast<std::size_t>(count));
  EXPECT_TRUE(was_in_time) << "the source waited for the long box";
}

// The same for a core that its run is given while it waits: here another run on the machine ends.
TEST_F(a_stream, that_has_room_again_lets_its_source_go_on_with_a_core_that_its_run_gets) {
  gate long_begins, all_sent;
  bool was_in_time = false;
  options o = on("core:2 pu:1", 4);
  o.results_capacity = 4;
  options idle;
  idle.machine = o.machine;
  std::optional<execution> other(start(counting("idle"), idle));
  const network numbers = source("numbers", gives(n), [&](emitter& emit) {
    for (std::int64_t i = 1; i <= 1000; ++i) emit(n = i);
    all_sent.open();
  });
  const network lasts = box("long", takes(k), gives(n), [&](std::int64_t i) {
    long_begins.open();
    was_in_time = all_sent.pass();
    return i;
  });
  execution run = start(numbers | lasts, o);
  run.send(k = 1);
  run.close();
  long_begins.pass();  // the source waits for room, since no result is read
  std::int64_t results = 0;
  for ([[maybe_unused]] const record& r : run)
    if (++results == 1) other.reset();  // there is room, and the source wants its core again
  EXPECT_EQ(results, 1001);
  EXPECT_TRUE(was_in_time) << "the source waited for the long box";
}

TEST_F(a_stream, with_an_emitter_without_end_holds_up_no_other_run_on_the_same_machine) {
  const machine shared = machine::synthetic("core:1 pu:1");
  options o;
  o.machine = shared;
  o.capacity = 8;
  gate held;
  execution endless = start(box("endless", takes(n), gives(k),
                                [](std::int64_t, emitter& emit) {
                                  for (std::int64_t i = 0;; ++i) emit(k = i);
                                }) >>
                                box("last", takes(k), gives(k), plus_one),
                            [&] {
                              options limited = o;
                              limited.results_capacity = 8;
                              return limited;
                            }());
  endless.send(n = 1);  // without a reader it blocks with its stream full, on the only core
  execution other = start(counting("f") >> counting("g"), o);
  for (int i = 0; i < 100; ++i) other.send(n = i);
  other.close();
  EXPECT_EQ(all_of(other).size(), 100u);
  auto result = endless.begin();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ((*result)[k], i + 1);
    ++result;
  }
  endless.stop();
  endless.wait();
}

TEST_F(a_stream, ends_an_emitter_without_end_when_it_is_stopped) {
  for (const char* cores : {"core:1 pu:1", "core:4 pu:1"}) {
    std::atomic<bool> emitting{false};
    execution run = start(box("endless", takes(n), gives(k),
                              [&](std::int64_t, emitter& emit) {
                                for (std::int64_t i = 0;; ++i) {
                                  emit(k = i);
                                  emitting = true;
                                }
                              }) >>
                              box("sink", takes(k), gives_none, [](std::int64_t) {}),
                          on(cores, 4));
    run.send(n = 1);
    EXPECT_TRUE(eventually([&] { return emitting.load(); }));
    run.stop();
    EXPECT_TRUE(all_of(run).empty());
  }
}

TEST_F(a_stream, ends_an_emitter_without_end_when_its_run_is_destroyed) {
  execution run = start(box("endless", takes(n), gives(k),
                            [&](std::int64_t, emitter& emit) {
                              for (std::int64_t i = 0;; ++i) emit(k = i);
                            }),
                        on("core:2 pu:1", 4));
  run.send(n = 1);
  auto result = run.begin();
  EXPECT_EQ((*result)[k], 0);
}

TEST_F(a_stream, lets_emitters_behind_emitters_through_in_order) {
  const auto times = [](const std::string& name, const tag& from, const tag& to) {
    return box(name, takes(from), gives(to), [to](std::int64_t v, emitter& emit) {
      for (std::int64_t i = 0; i < 20; ++i) emit(to = v * 20 + i);
    });
  };
  for (const char* cores : {"core:1 pu:1", "core:2 pu:1", "core:8 pu:1"})
    for (const std::size_t capacity : {1u, 3u, 64u}) {
      execution run = start(times("f", n, k) >> times("g", k, t) >> times("h", t, x), on(cores, capacity));
      sender_thread sender(run, 3);
      std::int64_t next = 0;
      for (const record& r : run) {
        EXPECT_EQ(r[x], next);
        ++next;
      }
      sender.join();
      EXPECT_EQ(next, 3 * 20 * 20 * 20) << cores << ", capacity " << capacity;
    }
}

}  // namespace
}  // namespace weir
