#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/engine/order_fixture.hpp"
#include "tests/runtime/language/random_grants.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

// Ordered networks and the stages of stars keep the order, and so do runs that are stopped.
namespace weir::order_test {
namespace {

// Records that could leave but find no free place count, too: the network then takes no new ones.
TEST_F(order, of_a_network_in_front_of_a_slow_box_costs_no_more_room_than_its_streams) {
  const network quick = box("quick", takes(n), gives(n), plus_one);
  const network slow = box("slow", takes(n), gives(n), [](std::int64_t v) { return spend(20000), v; }).serial();
  for (const char* cores : {"core:1 pu:1", "core:4 pu:1"}) {
    options o;
    o.machine = machine::synthetic(cores);
    o.capacity = 2;
    execution run = start(ordered(quick) >> slow, o);
    testing::sender_thread sender(run, 1000);
    EXPECT_EQ(all_of(run).size(), 1000u);
    sender.join();
    for (const stream_report& s : run.report().streams)
      EXPECT_LE(s.peak, 300u) << "from " << s.from << " to " << s.to << ", on " << cores;
  }
}

// Nor do the outputs of one record, however many, while it is its turn.
TEST_F(order, of_many_outputs_of_a_record_costs_no_more_room_than_the_streams) {
  constexpr std::int64_t records = 3, outputs = 3000;
  const network many = box("many", takes(n), gives(n), [](std::int64_t v, emitter& emit) {
    for (std::int64_t i = 0; i < outputs; ++i) emit(n = v * outputs + i);
  });
  const network passes = box("passes", takes(n), gives(n), [](std::int64_t v) { return v; });
  const network slow = box("slow", takes(n), gives(n), [](std::int64_t v) { return spend(5000), v; }).serial();
  for (const char* cores : {"core:1 pu:1", "core:4 pu:1"})
    for (const network& inside : {many, many >> passes}) {
      options o;
      o.machine = machine::synthetic(cores);
      o.capacity = 2;
      execution run = start(ordered(inside) >> slow, o);
      for (std::int64_t i = 0; i < records; ++i) run.send(n = i);
      run.close();
      std::int64_t next = 0;
      for (const record& r : run) ASSERT_EQ(r[n], next++) << "on " << cores;
      EXPECT_EQ(next, records * outputs);
      for (const stream_report& s : run.report().streams) {
        if (s.to != "output") {
          EXPECT_LE(s.peak, 300u) << "from " << s.from << " to " << s.to << ", on " << cores;
        }
        if (s.to == "ordered again" && s.records > outputs) {
          EXPECT_GT(s.blocked_seconds, 0) << "on " << cores;
        }
      }
    }
}

// An ordered network sorts at its exit while a part of it has cores of its own, and not while one region runs all of
// it. Grants change at random, so it is now the one and now the other.
TEST_F(order, of_an_ordered_choice_holds_while_its_parts_are_separated_and_joined) {
  const int changes = slow ? 40 : 100;
  std::uint64_t seed = 100;
  for (const int unit : {0, 100})
    for (const std::size_t capacity : {1u, 4u, 0u})
      for (const char* cores : {"core:2 pu:1", "core:8 pu:1"}) {
        SCOPED_TRACE(std::string(cores) + ", capacity " + std::to_string(capacity) + ", work " + std::to_string(unit) +
                     ", seed " + std::to_string(++seed));
        const auto uneven = [unit](std::int64_t v, int times) { return spend(work_on(v, 0) % 8 * unit * times), v; };
        const network fork = filter(takes(n)).when(n % 2 == 0).emit(n, k = 1).emit(n).otherwise().emit(n);
        const network slow =
            box("slow", takes(n, k), gives(n), [=](std::int64_t v, std::int64_t) { return uneven(v, 3); });
        const network quick = box("quick", takes(n), gives(n), [=](std::int64_t v) { return uneven(v, 1); });
        const options o = with(cores, capacity, random_shares(seed));
        detail::run_state run(ordered(fork >> (slow | quick)), o);
        const grant_changer changer(run, o.machine, changes, seed);
        std::atomic<std::int64_t> sent{0};
        std::thread sender([&] {
          std::int64_t i = 0;
          for (; i < 200 || !changer.is_done(); ++i) run.send(record{n = i});
          sent = i;
          run.close();
        });
        std::int64_t before = 0, early = 0, all = 0;
        for (record r; run.next(r); ++all) {
          early += r[n] < before;
          before = std::max(before, r[n]);
        }
        sender.join();
        EXPECT_EQ(early, 0) << "records left before what an earlier input gave";
        EXPECT_EQ(all, sent + (sent + 1) / 2);
      }
}

// Records that reach the end of an ordered network in one batch leave it together only if no related record is
// elsewhere. Here every 64th record also has one in a slow branch, which has a core of its own.
TEST_F(order, of_an_ordered_choice_waits_for_a_branch_on_another_core) {
  const std::int64_t records = fewer(40000);
  std::atomic<std::int64_t> sent{0};
  const network both = box("gate", takes(n), gives(n),
                           [&](std::int64_t v) {
                             if (v % 1000 == 0)
                               while (sent < std::min(records, v + 500))
                                 std::this_thread::yield();  // so that many records wait
                             return v;
                           }) >>
                       filter(takes(n)).when(n % 64 == 0).emit(n, k = 1).emit(n).otherwise().emit(n);
  const network slow = box("slow", takes(n, k), gives(n), [](std::int64_t v, std::int64_t) { return spend(3000), v; });
  const network quick = box("quick", takes(n), gives(n), [](std::int64_t v) { return v; });
  options o;
  o.machine = machine::synthetic("core:3 pu:1");
  o.policy = fixed_shares{{"slow", 1}};
  o.capacity = 1024;
  execution run = start(ordered(both >> (slow | quick)), o);
  std::thread sender([&] {
    for (std::int64_t v = 0; v < records; sent = ++v) run.send(n = v);
    run.close();
  });
  std::int64_t before = 0, early = 0, all = 0;
  for (const record& r : run) {
    early += r[n] < before;
    before = std::max(before, r[n]);
    ++all;
  }
  sender.join();
  EXPECT_EQ(early, 0) << "records left before what an earlier input gave";
  EXPECT_EQ(all, records + (records + 63) / 64);
}

// If two records leave a star's body for the next stage in order, they arrive in that order, although the second could
// continue immediately.
TEST_F(order, of_what_a_stage_of_a_star_gives_holds_in_the_next) {
  const network body =
      sync(pattern{n, k}.where(n == 1), pattern{t}) >>
      filter(takes(n, k)).when(n == 2).emit(n = 1, k = 1).emit(n = 1, k = 2).otherwise().emit(n = n - 1, k);
  for (const char* cores : {"core:1 pu:1", "core:4 pu:1"}) {
    options o;
    o.machine = machine::synthetic(cores);
    execution run = start(star(body, pattern{n}.where(n == 0)), o);
    run.send(n = 2, k = 0);
    run.close();
    const std::vector<record> got = all_of(run);
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got.front()[k], 2) << "the first was kept by the cell";
    EXPECT_EQ(run.report().held, 1u);
  }
}

// A stop drops the waiting records of a batch that has begun; later records must not come out in their place.
TEST_F(order, of_what_came_before_a_stop_has_no_gap) {
  const network wide = box("wide", takes(n), gives(n), [](std::int64_t v) {
    spend(3000 + work_on(v, 1) % 8 * 1000);
    return v;
  });
  int gaps = 0;
  for (int round = 0; round < fewer(40); ++round) {
    options o;
    o.machine = machine::synthetic("core:4 pu:1");
    o.policy = fixed_shares(std::vector<fixed_share>{});  // all four boxes share them
    execution run = start(round % 2 ? wide : ordered(wide), o);
    std::thread sender([&] {
      try {
        for (std::int64_t v = 0;; ++v) run.send(n = v);
      } catch (const run_error&) {  // after the stop
      }
    });
    std::int64_t next = 0;
    for (const record& r : run) {
      gaps += r[n] != next++;
      if (next != 1000 + 37 * round) continue;
      run.stop();
      run.wait();  // the remaining results are available then
    }
    sender.join();
  }
  EXPECT_EQ(gaps, 0);
}

}  // namespace
}  // namespace weir::order_test
