#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/runtime/support/test_platform.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/peak_count.hpp"

// Invocations of the shared group that get idle cores of it, on a clock that only invocations advance.
namespace weir {
namespace {

using namespace testing;
using namespace std::chrono_literals;

class own_clock final : public test_platform {
 public:
  explicit own_clock(int cores) : test_platform("core:" + std::to_string(cores) + " pu:1") {}
  double now() const noexcept override { return 1e-9 * static_cast<double>(nanoseconds_.load()); }
  void pass(std::chrono::nanoseconds span) { nanoseconds_.fetch_add(span.count()); }
  bool bind(const core_set& to) noexcept override {
    bound_to_ = to.size();
    return true;
  }
  static int bound_to() { return bound_to_; }  // cores of the calling thread

 private:
  static inline thread_local int bound_to_ = 0;
  std::atomic<std::int64_t> nanoseconds_{1'000'000'000};
};

class idle_cores : public gives_all_back {
 protected:
  static constexpr int cores = 8;

  options on_machine(int of) {
    clock_ = std::make_shared<own_clock>(of);
    options o;
    o.machine = machine(std::make_shared<detail::machine_state>(clock_));
    return o;
  }

  // The cores of each invocation, one record after the other, with a step behind each.
  std::vector<int> one_by_one(const network& net, int records) {
    detail::run_state run(net, on_machine(cores));
    const auto reading = run.begin_reading();
    std::vector<int> seen;
    record r;
    for (std::int64_t i = 0; i < records; ++i) {
      run.send(record(n = i));
      if (run.next(r)) seen.push_back(static_cast<int>(r[n]));
      run.step();
    }
    run.close();
    run.wait();
    return seen;
  }

  // A box that takes this long on one core, divided by its cores, and gives their number.
  auto solve(std::chrono::nanoseconds on_one) {
    return box("solve", takes(n), gives(n), [this, on_one](const grant& g, std::int64_t) {
      clock_->pass(on_one / g.size());
      return static_cast<std::int64_t>(g.size());
    });
  }

  std::shared_ptr<own_clock> clock_;
};

TEST_F(idle_cores, are_half_for_the_first_and_all_for_later_ones) {
  const std::vector<int> seen = one_by_one(solve(80ms), 20);
  ASSERT_EQ(seen.size(), 20U);
  EXPECT_EQ(seen.front(), cores / 2);
  EXPECT_EQ(*std::ranges::max_element(seen), cores);
}

// The clock advances inside invocations alone, and one at a time has most of the cores.
TEST_F(idle_cores, are_in_the_report) {
  execution run = start(solve(80ms), on_machine(cores));
  run.send(n = 0);
  auto result = run.begin();
  for (std::int64_t i = 1; i < 20; ++i) {
    run.send(n = i);
    ++result;
  }
  run.close();
  run.wait();
  const component_report solve = run.report().components.at(0);
  EXPECT_GE(solve.mean_cores, cores / 2);
  EXPECT_LE(solve.mean_cores, cores);
  EXPECT_NEAR(solve.busy, solve.mean_cores / cores, 0.05) << "its lanes of that number of cores always compute";
}

TEST_F(idle_cores, are_none_for_a_sequential_box) {
  for (const int one : one_by_one(solve(80ms).sequential(), 20)) EXPECT_EQ(one, 1);
}

TEST_F(idle_cores, are_none_for_short_boxes) {
  const std::vector<int> seen = one_by_one(solve(8us), 40);
  ASSERT_EQ(seen.size(), 40U);
  for (std::size_t i = 8; i < seen.size(); ++i) EXPECT_EQ(seen[i], 1) << i;
}

// Threads that such a box starts inherit the cores of its thread.
TEST_F(idle_cores, are_all_of_the_thread_where_the_box_knows_its_grant) {
  const network net = box("solve", takes(n), gives(n), [this](const grant& g, std::int64_t) {
    EXPECT_EQ(own_clock::bound_to(), g.size());
    clock_->pass(80ms / g.size());
    return static_cast<std::int64_t>(g.size());
  });
  const std::vector<int> seen = one_by_one(net, 20);
  EXPECT_EQ(*std::ranges::max_element(seen), cores);
}

TEST_F(idle_cores, are_of_onetbb_where_the_box_does_not_know_its_grant) {
  std::atomic<int> most{0};
  options o = on_machine(cores);
  o.on_observation = [&](std::string_view, const observation& one) { most = std::max<int>(most, one.cores); };
  detail::run_state run(box("solve", takes(n), gives(n),
                            [this](std::int64_t i) {
                              EXPECT_EQ(own_clock::bound_to(), 1);
                              clock_->pass(80ms);
                              return i;
                            }),
                        o);
  {
    const auto reading = run.begin_reading();
    record r;
    for (std::int64_t i = 0; i < 20; ++i) {
      run.send(record(n = i));
      run.next(r);
      run.step();
    }
    run.close();
    run.wait();
  }
  EXPECT_GE(most, cores / 2);
}

// Boxes inside its emit would run on all of them.
TEST_F(idle_cores, are_none_for_a_box_that_emits_meanwhile) {
  const network net = box("solve", takes(n), gives(n), [this](const grant& g, std::int64_t, emitter& emit) {
    clock_->pass(80ms);
    emit(n = g.size());
  });
  for (const int one : one_by_one(net, 20)) EXPECT_EQ(one, 1);
}

// Whatever the machine, the cores of all invocations together are no more than it has, and each observation has the
// cores that its invocation had. Boxes throw meanwhile, and each is given back.
TEST_F(idle_cores, are_never_in_two_invocations) {
  constexpr std::int64_t records = 400;
  for (const int of : {1, 2, 3, 7, 16, 64}) {
    options o = on_machine(of);
    o.on_error = on_error::collect;
    std::vector<std::atomic<int>> observed(records), granted(records);
    o.on_observation = [&](std::string_view box, const observation& one) {
      if (box == "b") observed[static_cast<std::size_t>(one.x)] = static_cast<int>(one.cores);
    };
    peak_count in_use;
    const auto on_cores = [&](const grant& g, std::int64_t k) {
      in_use.enter(g.size());
      clock_->pass(2ms + 10ms / g.size());
      in_use.leave(g.size());
      return k;
    };
    const network net = box("a", takes(n), gives(n), on_cores) >>
                        box("b", takes(n), gives(n),
                            [&](const grant& g, std::int64_t k) {
                              granted[static_cast<std::size_t>(k)] = g.size();
                              return on_cores(g, k);
                            })
                            .predicted_by([](std::int64_t k) { return k; }, degree{1}) >>
                        box("c", takes(n), gives(n), [&](const grant& g, std::int64_t k) {
                          on_cores(g, k);
                          return k % 5 == 0 ? throw std::runtime_error("a fifth fails") : k;
                        });
    execution run = start(net, o);
    {
      sender_thread sender(run, records);
      std::int64_t left = 0;
      for (const record& r : run) left += r.contains(n);
      EXPECT_EQ(left, records - records / 5) << of << " cores";
    }
    run.wait();
    EXPECT_LE(in_use.peak(), of);
    EXPECT_EQ(in_use.now(), 0);
    for (std::size_t i = 0; i < records; ++i) {
      if (observed[i] == 0) continue;  // it was not timed
      EXPECT_EQ(observed[i], granted[i]) << "record " << i << " on " << of << " cores";
    }
  }
}

// Its cores are free for that run meanwhile, or it would wait for ever.
TEST_F(idle_cores, are_given_back_by_a_box_that_waits_for_another_run) {
  const options o = on_machine(4);
  const network inner = box("inner", takes(n), gives(n), plus_one);
  const network net = box("outer", takes(n), gives(n), [&](const grant& g, std::int64_t k) {
    clock_->pass(10ms / g.size());
    options same;
    same.machine = o.machine;
    execution run = start(inner, same);
    run.send(n = k);
    run.close();
    std::int64_t last = 0;
    for (const record& r : run) last = r[n];
    return last;
  });
  execution run = start(net, o);
  sender_thread sender(run, 30);
  std::int64_t sum = 0;
  for (const record& r : run) sum += r[n];
  sender.join();
  EXPECT_EQ(sum, 30 * 31 / 2);
}

TEST_F(idle_cores, end_with_a_run_that_is_stopped) {
  std::latch is_in(1), may_go(1);
  options o = on_machine(cores);
  std::atomic<int> had{0};
  const network net = box("held", takes(n), gives(n), [&](const grant& g, std::int64_t k) {
    had = g.size();
    is_in.count_down();
    may_go.wait();
    return k;
  });
  execution run = start(net, o);
  run.send(n = 1);
  is_in.wait();
  run.stop();
  may_go.count_down();
  EXPECT_EQ(had, cores / 2);
}

}  // namespace
}  // namespace weir
