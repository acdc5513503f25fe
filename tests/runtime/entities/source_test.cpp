#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/threads/concurrency_limit.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/support/busy.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/peak_count.hpp"

// Initialisers: one invocation that may last as long as the run.
namespace weir {
namespace {

using namespace testing;

class a_source : public gives_all_back {};

// A record that a box emits reaches the next boxes even if the box then waits before it emits again.
TEST_F(a_source, may_wait_for_what_becomes_of_its_record) {
  for (const int boxes : {0, 1, 4}) {
    std::atomic<std::int64_t> arrived{0};
    network net = source("numbers", gives(n),
                         [&](emitter& emit) {
                           for (std::int64_t i = 0; i < 2000; ++i) {
                             emit(n = i);
                             for (std::int64_t now; (now = arrived.load()) <= i;) arrived.wait(now);
                           }
                         }) |
                  bypass();
    for (int b = 0; b < boxes; ++b) net = net >> box("f" + std::to_string(b), takes(n), gives(n), plus_one);
    net = net >> box("last", takes(n), gives_none, [&](std::int64_t) {
            ++arrived;
            arrived.notify_one();
          });
    options o;
    o.machine = machine::synthetic("core:4 pu:1");
    o.policy = fixed_shares(std::vector<fixed_share>{});
    execution run = start(net, o);
    run.close();
    run.wait();
    EXPECT_EQ(arrived, 2000);
  }
}

// One lane may be the fastest for so short records, and the source then keeps it while it waits.
TEST_F(a_source, may_wait_for_all_its_records_after_many_quick_ones) {
  constexpr std::int64_t many = 150'000;
  std::atomic<std::int64_t> arrived{0};
  const network net = source("numbers", gives(n, k),
                             [&](emitter& emit) {
                               for (std::int64_t i = 1; i <= 4 * many; ++i) {
                                 emit(n = i, k = i % 1000);
                                 if (i % many != 0) continue;
                                 for (std::int64_t now; (now = arrived.load()) < i;) arrived.wait(now);
                               }
                             }) >>
                      split(fold("count", takes(n), gives(n), std::int64_t{0},
                                 [&](std::int64_t&, std::int64_t v) {
                                   if (arrived.fetch_add(1) + 1 == v) arrived.notify_one();
                                 }),
                            k) >>
                      box("last", takes(n), gives_none, [](std::int64_t) {});
  options o;
  o.max_in_flight = 2 * many;
  execution run = start(net, o);
  run.close();
  run.wait();
  EXPECT_EQ(arrived, 4 * many);
}

// Its only input are initialisers: start() closes it, no thread can send, and it ends when all is drained.
TEST_F(a_source, at_the_head_makes_a_closed_network) {
  const auto numbers = [](const char* name, std::int64_t from) {
    return source(name, gives(n), [from](emitter& emit) {
      for (std::int64_t i = from; i < from + 100; ++i) emit(n = i);
    });
  };
  const network behind = box("f", takes(n), gives(n), plus_one);
  for (const network& net :
       {numbers("low", 0) >> behind, (numbers("low", 0) | numbers("high", 100)) >> behind,
        ordered(numbers("low", 0) >> behind).as("whole"), (numbers("low", 0) >> behind) | numbers("high", 100)})
    for (const char* cores : {"core:1 pu:1", "core:4 pu:1"}) {
      options o;
      o.machine = machine::synthetic(cores);
      execution run = start(net, o);
      const std::string why = refusal<send_error>([&] { run.send(n = 1); });
      EXPECT_NE(why.find("its initialisers are its only input"), std::string::npos) << why;
      std::int64_t count = 0, sum = 0;
      for (const record& r : run) ++count, sum += r[n];
      EXPECT_TRUE(count == 100 || count == 200) << to_string(net);
      EXPECT_GT(sum, 0);
      run.close();  // as often as one likes
      EXPECT_EQ(run.report().results, static_cast<std::uint64_t>(count));
      EXPECT_EQ(run.report().sent, 0u);
    }
}

TEST_F(a_source, that_is_stopped_ends_a_closed_network) {
  const network net = source("endless", gives(n),
                             [](emitter& emit) {
                               for (std::int64_t i = 0;; ++i) emit(n = i);
                             }) >>
                      box("f", takes(n), gives(n), plus_one);
  execution run = start(net);
  std::int64_t count = 0;
  for (const record& r : run) {
    EXPECT_EQ(r[n], count + 1);
    if (++count == 1000) run.stop();
  }
  EXPECT_GE(count, 1000);
}

// The boxes behind it become short, so that they run in the source's thread, and long, so that others run them, any
// number of times. Everything arrives, in order, and a serial box runs one invocation at a time.
TEST_F(a_source, keeps_the_order_while_what_is_behind_it_changes_its_place) {
  constexpr std::int64_t stretch = 1500, records = 8 * stretch;
  for (const char* cores : {"core:1 pu:1", "core:2 pu:1", "core:4 pu:1"}) {
    std::atomic<int> inside{0};
    std::vector<std::int64_t> seen;
    const network net = (source("numbers", gives(n),
                                [](emitter& emit) {
                                  for (std::int64_t i = 0; i < records; ++i) emit(n = i);
                                }) |
                         bypass()) >>
                        box("first", takes(n), gives(n), [](std::int64_t v) { return v; }) >>
                        box("changing", takes(n), gives(n),
                            [](std::int64_t v) {
                              if (v / stretch % 2) busy(std::chrono::microseconds(30));
                              return v;
                            }) >>
                        box("last", takes(n), gives_none, [&](std::int64_t v) {
                          EXPECT_EQ(++inside, 1);
                          seen.push_back(v);
                          --inside;
                        }).serial();
    options o;
    o.machine = machine::synthetic(cores);
    execution run = start(net, o);
    run.close();
    run.wait();
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(records)) << cores;
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end())) << cores;
  }
}

// A short box would run in the source's thread, which is the only one there. It takes 2 us, so another core takes its
// part once that is known; the source's own thread helps while the stream is full. Where other programs take the core,
// the source may do better alone: one of ten runs will do.
TEST_F(a_source, leaves_short_boxes_that_keep_it_busy_to_another_core) {
  constexpr std::int64_t records = 200'000, late = 100'000;
  std::atomic<std::thread::id> emits_on;
  std::atomic<std::int64_t> elsewhere{0};
  const network net = source("numbers", gives(n),
                             [&](emitter& emit) {
                               for (std::int64_t i = 0; i < records; ++i) {
                                 emits_on = std::this_thread::get_id();
                                 emit(n = i);
                               }
                             }) >>
                      box("work", takes(n), gives(n),
                          [&](std::int64_t v) {
                            busy(std::chrono::microseconds(2));
                            if (v >= late && std::this_thread::get_id() != emits_on.load()) ++elsewhere;
                            return v;
                          }) >>
                      box("last", takes(n), gives_none, [](std::int64_t) {}).serial();
  for (int run = 0; run < 10 && elsewhere <= late / 10; ++run) {
    elsewhere = 0;
    start(net, {.machine = machine::synthetic("core:2 pu:1")}).wait();
  }
  EXPECT_GT(elsewhere, late / 10);
}

// A run that is stopped in the middle of an initialiser ends, and gives everything back.
TEST_F(a_source, that_would_emit_for_ever_ends_with_its_run) {
  std::atomic<std::int64_t> arrived{0};
  const network net = (source("numbers", gives(n, s),
                              [](emitter& emit) {
                                for (std::int64_t i = 0;; ++i) emit(n = i, s = long_text(i));
                              }) |
                       bypass()) >>
                      box("f", takes(n), gives(n), plus_one) >> box("last", takes(n), gives_none, [&](std::int64_t) {
                                                                  ++arrived;
                                                                  arrived.notify_one();
                                                                }).serial();
  execution run = start(net, {.machine = machine::synthetic("core:2 pu:1")});
  for (std::int64_t now; (now = arrived.load()) < 10'000;) arrived.wait(now);
  run.stop();
}

// Never more inside than its width, and every caller gets through.
TEST(a_turnstile, lets_in_as_many_as_it_is_wide) {
  for (const int width : {1, 2, 3}) {
    detail::concurrency_limit gate(width);
    peak_count inside;
    std::atomic<int> through{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 5000; ++i) {
          gate.enter();
          inside.enter();
          inside.leave();
          gate.leave();
          ++through;
        }
      });
    for (std::thread& t : threads) t.join();
    EXPECT_LE(inside.peak(), width);
    EXPECT_EQ(through, 40'000);
  }
}

}  // namespace
}  // namespace weir
