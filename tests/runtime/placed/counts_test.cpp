#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/runtime/placed/a_placed_network.hpp"

// Each record that was sent is in exactly one count of the report, however the run ends.
namespace weir::placed_test {
namespace {

using counts_of_a_placed_network = a_placed_network;

void expect_sum(const run_report& r, const std::string& about) {
  EXPECT_EQ(r.sent + r.emitted, r.results + r.records_ended + r.failed + r.dropped + r.held) << about;
  EXPECT_EQ(r.away, 0) << about;
}

// Its records are at three ranks, on a route, and in a nested part when the end comes.
network spread_out(std::atomic<int>& ran, std::int64_t fails_at) {
  const auto work = [&ran, fails_at](const char* name) -> network {
    return box(name, takes(number), gives(number), [&ran, fails_at](std::int64_t v) {
      ++ran;
      std::this_thread::yield();
      if (v == fails_at) throw std::runtime_error("a fault");
      return v;
    });
  };
  return at(work("a"), 1) >> at(work("b"), 2) >> at(work("c") >> at(work("d"), 2) >> work("e"), 1);
}

void read_all(execution& run) {
  try {
    for (const record& r : run) static_cast<void>(r);
  } catch (const run_error&) {
  }
}

TEST_F(counts_of_a_placed_network, add_up_after_a_stop) {
  for (int when = 0; when < 40; ++when) {
    std::atomic<int> ran{0};
    several_ranks all(
        3, [&](int) { return spread_out(ran, -1); }, two_cores);
    execution& run = all.run();
    for (int i = 0; i < 200; ++i) run.send(number = i);
    while (ran < 10 * when) std::this_thread::yield();
    run.stop();
    read_all(run);
    expect_sum(run.report(), "when " + std::to_string(when));
    all.finish();
  }
}

TEST_F(counts_of_a_placed_network, add_up_after_an_error_on_another_rank) {
  for (int fails_at = 0; fails_at < 40; ++fails_at) {
    std::atomic<int> ran{0};
    several_ranks all(
        3, [&](int) { return spread_out(ran, 5 * fails_at); }, two_cores);
    execution& run = all.run();
    try {
      for (int i = 0; i < 200; ++i) run.send(number = i);
    } catch (const run_error&) {
    }
    read_all(run);
    const run_report r = run.report();
    expect_sum(r, "fails at " + std::to_string(5 * fails_at));
    EXPECT_EQ(r.failed, 1u);
    all.finish();
  }
}

TEST_F(counts_of_a_placed_network, add_up_after_a_loss) {
  for (int when = 0; when < 40; ++when) {
    const int dies = 1 + when % 2;
    std::atomic<int> ran{0};
    several_ranks all(
        3, [&](int) { return spread_out(ran, -1); }, two_cores);
    execution& run = all.run();
    std::thread reader([&] { read_all(run); });
    try {
      for (int i = 0; i < 400; ++i) {
        if (i == 10 * when) all.ranks().kill(dies);
        run.send(number = i);
      }
    } catch (const run_error&) {
    }
    reader.join();
    expect_sum(run.report(), "when " + std::to_string(when));
    all.ranks().end_killed(dies);
    all.finish();
  }
}

// Records that a lost rank ended in its sinks are away, since only that rank had counted them.
TEST_F(counts_of_a_placed_network, add_up_when_the_run_goes_on_after_a_loss) {
  for (int when = 0; when < 20; ++when) {
    several_ranks all(
        3,
        [](int) {
          return at(
              split(box("half", takes(number), gives(number), [](std::int64_t v, emitter& emit) { emit(number = v); }),
                    key),
              key);
        },
        [](int rank) {
          options o = two_cores(rank);
          o.on_failure = on_failure::reassign;
          return o;
        });
    execution& run = all.run();
    std::thread reader([&] { read_all(run); });
    for (int i = 0; i < 400; ++i) {
      if (i == 20 * when) all.ranks().kill(1);
      run.send(number = i, key = i % 7);
    }
    run.close();
    reader.join();
    const run_report r = run.report();
    expect_sum(r, "when " + std::to_string(when));
    EXPECT_EQ(r.results, 400u);
    all.ranks().end_killed(1);
    all.finish();
  }
}

// Outputs of initialisers of several ranks enter there, and are counted once.
TEST_F(counts_of_a_placed_network, have_what_initialisers_emitted_elsewhere) {
  for (int when = 0; when < 20; ++when) {
    std::atomic<int> ran{0};
    const auto net = [&](int) {
      return at(source("emit", gives(number),
                       [](emitter& emit) {
                         for (std::int64_t i = 0; i < 300; ++i) emit(number = i);
                       }),
                1) >>
             spread_out(ran, -1);
    };
    several_ranks all(3, net, two_cores);
    execution& run = all.run();
    std::thread reader([&] { read_all(run); });
    while (ran < 20 * when) std::this_thread::yield();
    run.stop();
    reader.join();
    expect_sum(run.report(), "when " + std::to_string(when));
    all.finish();
  }
}

}  // namespace
}  // namespace weir::placed_test
