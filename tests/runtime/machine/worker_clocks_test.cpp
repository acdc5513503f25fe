#include "runtime/machine/worker_clocks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/machine/lane_usage.hpp"
#include "tests/runtime/machine/manual_clocks.hpp"
#include "tests/support/work.hpp"

namespace weir::detail {
namespace {

using testing::manual_clocks;

TEST(worker_clocks, count_what_a_worker_computed_since_it_came) {
  manual_clocks machine;
  worker_clocks clocks(machine, 1);
  EXPECT_EQ(clocks.read(0), 0);
  machine.cpu[7] = 100;
  machine.me = 7;
  clocks.enter(0);
  EXPECT_EQ(clocks.read(0), 0) << "what it computed elsewhere does not count";
  machine.cpu[7] = 102;
  EXPECT_EQ(clocks.read(0), 2);
  machine.cpu[7] = 103;
  clocks.leave(0);
  machine.cpu[7] = 200;
  EXPECT_EQ(clocks.read(0), 3) << "nor what it computed afterwards";
}

TEST(worker_clocks, add_up_those_who_are_at_a_place_one_after_the_other_and_keep_places_apart) {
  manual_clocks machine;
  worker_clocks clocks(machine, 2);
  for (int i = 1; i <= 3; ++i) {
    machine.me = i;
    machine.cpu[i] = 10 * i;
    clocks.enter(1);
    machine.cpu[i] += i;
    clocks.leave(1);
    machine.cpu.erase(i);  // its thread ends
  }
  EXPECT_EQ(clocks.read(1), 1 + 2 + 3);
  EXPECT_EQ(clocks.read(0), 0);
}

TEST(worker_clocks, that_cannot_be_read_add_nothing) {
  manual_clocks machine;
  worker_clocks clocks(machine, 1);
  clocks.enter(0);
  EXPECT_EQ(clocks.read(0), 0);
  machine.cpu[0] = 50;
  EXPECT_EQ(clocks.read(0), 0) << "since when is not known";
  clocks.leave(0);
  EXPECT_EQ(clocks.read(0), 0);
  clocks.enter(0);
  machine.cpu[0] = 51;
  EXPECT_EQ(clocks.read(0), 1);
  machine.cpu.clear();
  EXPECT_EQ(clocks.read(0), 0);
  clocks.leave(0);
  EXPECT_EQ(clocks.read(0), 0);
}

TEST(worker_clocks, ignore_who_is_at_no_place_of_theirs) {
  manual_clocks machine;
  machine.cpu[0] = 0;
  worker_clocks clocks(machine, 2);
  for (const int nowhere : {-3, -1, 2, 100}) {
    clocks.enter(nowhere);
    machine.cpu[0] += 1;
    clocks.leave(nowhere);
  }
  EXPECT_EQ(clocks.read(0) + clocks.read(1), 0);
}

TEST(worker_clocks, are_read_while_workers_come_and_go_and_end) {
  const auto machine = local_platform();
  constexpr int places = 3;
  worker_clocks clocks(*machine, places);
  std::vector<double> own(places, 0);  // as the workers measure it themselves
  std::atomic<int> left{places};
  std::vector<std::thread> starters;
  for (int p = 0; p < places; ++p)
    starters.emplace_back([&, p] {
      for (int i = 0; i < 100; ++i)
        std::thread([&] {
          clocks.enter(p);
          const double before = machine->cpu_seconds(machine->own_cpu_clock());
          testing::spend(1000);
          own[static_cast<std::size_t>(p)] += machine->cpu_seconds(machine->own_cpu_clock()) - before;
          clocks.leave(p);
        }).join();
      --left;
    });
  do {
    for (int p = 0; p < places; ++p) EXPECT_GE(clocks.read(p), 0);
  } while (left > 0);
  for (std::thread& s : starters) s.join();
  for (int p = 0; p < places; ++p) EXPECT_GE(clocks.read(p), own[static_cast<std::size_t>(p)] - 1e-9);
}

class a_lane_s_usage : public ::testing::Test {
 protected:
  // One worker per place, each with another clock, and the lane's own thread, number 0.
  a_lane_s_usage() : clocks_(machine_, 2) {
    for (int i = 0; i <= 2; ++i) machine_.cpu[i] = 100 * (i + 1);
    for (machine_.me = 1; machine_.me <= 2; ++machine_.me) clocks_.enter(machine_.me - 1);
    machine_.me = 0;
  }
  double measured(double own, double first, double second) {
    lane_usage usage(machine_, &clocks_);
    usage.begin();
    const double spent[]{own, first, second};
    for (int i = 0; i <= 2; ++i) machine_.cpu[i] += spent[i];
    usage.end();
    return usage.cpu_seconds();
  }

  manual_clocks machine_;
  worker_clocks clocks_;
};

TEST_F(a_lane_s_usage, is_that_of_the_thread_that_computed_most) {
  EXPECT_EQ(measured(5, 3, 1), 5);
  EXPECT_EQ(measured(3, 5, 1), 5);
  EXPECT_EQ(measured(1, 3, 5), 5);
  EXPECT_EQ(measured(2, 2, 2), 2) << "not a sum, and not what was spent before";
}

TEST_F(a_lane_s_usage, is_that_of_its_own_thread_when_it_is_alone) {
  lane_usage usage(machine_, nullptr);
  machine_.switches = 40;
  usage.begin();
  machine_.cpu[0] += 2;
  machine_.cpu[1] += 9;
  machine_.switches = 43;
  usage.end();
  EXPECT_EQ(usage.cpu_seconds(), 2);
  EXPECT_EQ(usage.switches(), 3u);
}

}  // namespace
}  // namespace weir::detail
