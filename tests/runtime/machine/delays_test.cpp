#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/test_platform.hpp"
#include "tests/support/gives_all_back.hpp"

// Runs on a machine of which others have a part of the cores. Its clock is the real one. Others have the share of the
// passing time that the test sets, and each thread waits for its core for a quarter.
namespace weir {
namespace {

using namespace testing;

class shared_machine final : public test_platform {
 public:
  explicit shared_machine(double others) : test_platform("core:2 pu:1"), others_(others) {}
  detail::core_use cores_used(const core_set&) const override {
    return {.by_all = 2 * others_ * now(), .by_process = 0, .units = 2};
  }
  double delay(detail::cpu_clock) const noexcept override { return now() / 4; }

 private:
  const double others_;
};

class a_run_beside_others : public gives_all_back {
 protected:
  // Runs until an observation satisfies `is_last`. A record takes 4 ms.
  template <class Condition>
  run_report run(double others, measured_time by, Condition is_last) {
    seen_.clear();
    options how;
    how.machine = machine(std::make_shared<detail::machine_state>(std::make_shared<shared_machine>(others)));
    how.policy = fixed_shares{{"f", 1}};
    how.learn_from = by;
    std::atomic<bool> is_over = false;
    how.on_observation = [&](std::string_view, const observation& o) {
      seen_.push_back(o);
      is_over = is_over || is_last(o);
    };
    const auto f = [](std::int64_t v) {
      std::this_thread::sleep_for(std::chrono::milliseconds(4));
      return v;
    };
    execution e = start(box("f", takes(n), gives(n), f), how);
    while (!is_over) e.send(n = 1);
    e.close();
    e.wait();
    return e.report();
  }
  static bool is_late(const observation& o) { return o.start > 0.8; }

  std::vector<observation> seen_;
};

TEST_F(a_run_beside_others, learns_what_invocations_would_have_taken_without_them) {
  const run_report r = run(0.5, measured_time::automatic, is_late);
  EXPECT_NEAR(r.foreign_load, 0.5, 0.01);
  EXPECT_TRUE(r.has_foreign_load());
  int delayed = 0;
  for (const observation& o : seen_) {
    if (o.delayed_seconds == 0) continue;
    ++delayed;
    EXPECT_GT(o.start, 0.2) << "before that the load is not known";
    EXPECT_LT(o.delayed_seconds, o.seconds);
    EXPECT_GE(o.delayed_seconds, o.seconds / 4) << "the delay is read around the invocation";
    EXPECT_DOUBLE_EQ(cost_of(o, measured_time::automatic), o.seconds - o.delayed_seconds);
    EXPECT_EQ(cost_of(o, measured_time::wall), o.seconds);
  }
  EXPECT_GT(delayed, 0);
  EXPECT_GT(seen_.back().delayed_seconds, 0);
}

TEST_F(a_run_beside_others, subtracts_nothing_when_it_learns_wall_clock_or_cpu_time) {
  for (const measured_time by : {measured_time::wall, measured_time::cpu}) {
    const run_report r = run(0.5, by, is_late);
    EXPECT_NEAR(r.foreign_load, 0.5, 0.01);
    for (const observation& o : seen_) ASSERT_EQ(o.delayed_seconds, 0) << o.start;
  }
}

TEST_F(a_run_beside_others, subtracts_nothing_while_they_have_little) {
  const run_report r = run(0.05, measured_time::automatic, is_late);
  EXPECT_NEAR(r.foreign_load, 0.05, 0.01);
  EXPECT_FALSE(r.has_foreign_load());
  for (const observation& o : seen_) {
    ASSERT_EQ(o.delayed_seconds, 0) << o.start;
    ASSERT_EQ(cost_of(o, measured_time::automatic), o.seconds) << "to the bit";
  }
}

// A synthetic machine has no cores that others could take.
TEST_F(a_run_beside_others, knows_nothing_of_them_on_a_synthetic_machine) {
  options how;
  how.machine = machine::synthetic("core:2 pu:1");
  std::atomic<bool> is_over = false;
  how.on_observation = [&](std::string_view, const observation& o) {
    EXPECT_EQ(o.delayed_seconds, 0);
    is_over = is_over || is_late(o);
  };
  const auto f = [](std::int64_t v) {
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
    return v;
  };
  execution e = start(box("f", takes(n), gives(n), f), how);
  while (!is_over) e.send(n = 1);
  e.close();
  e.wait();
  const run_report r = e.report();
  EXPECT_TRUE(std::isnan(r.foreign_load));
  for (const history_row& row : r.history) EXPECT_TRUE(std::isnan(row.foreign));
}

}  // namespace
}  // namespace weir
