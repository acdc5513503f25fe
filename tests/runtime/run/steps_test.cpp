#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/virtual_time.hpp"
#include "tests/support/gives_all_back.hpp"

// The times of the controller's checks of a run, on a clock that only invocations advance.
namespace weir {
namespace {

using namespace testing;

// Virtual time whose CPU time the test sets.
class told_time final : public virtual_time {
 public:
  told_time() : virtual_time("core:1 pu:1") {}
  double used = 0;

  detail::thread_usage usage() const noexcept override { return {used, 0}; }
};

// All in the shared group. Notes the checks in which it is asked, and uses the given CPU time in each.
struct noting_rule : allocation_rule {
  noting_rule(told_time& t, std::vector<double>& s, double c) : time(t), steps(s), cost_of_one(c) {}
  std::string name() const override { return "noting"; }
  allotment decide(const system_view& view) const override {
    return {std::vector<share>(view.components.size()), view.cores};
  }
  assessment assess(const system_view& view, const allotment& given) const override {
    if (steps.empty() || view.time > steps.back()) {
      steps.push_back(view.time);
      time.used += cost_of_one;
    }
    return allocation_rule::assess(view, given);
  }
  bool adapts() const override { return true; }

  told_time& time;
  std::vector<double>& steps;
  double cost_of_one;
};

class steps : public gives_all_back {
 protected:
  static constexpr double invocation = 100e-6;
  const std::shared_ptr<told_time> time = std::make_shared<told_time>();

  network box_of_100_us() const {
    return box("f", takes(n), gives(n), [t = time](std::int64_t k) {
      t->advance(invocation);
      return k;
    });
  }

  // The times of the controller's checks, in a run of `records` invocations that is idle at first.
  std::vector<double> taken(int records, double cpu_seconds_each, double idle = 0) {
    std::vector<double> at;
    options o = on(time);
    o.policy = noting_rule(*time, at, cpu_seconds_each);
    detail::run_state run(box_of_100_us(), o);
    record out;
    time->advance(idle);
    for (int k = 0; k < records; ++k) {
      run.send(record(n = k));
      EXPECT_TRUE(run.next(out));
    }
    run.close();
    run.wait();
    return at;
  }
};

// The first check after an observation may be a millisecond before the first one that asks the rule.
TEST_F(steps, that_cost_nothing_come_each_millisecond_then_each_quarter_of_the_time_so_far_then_each_20_ms) {
  for (const double idle : {0.0, 10.0}) {
    const std::vector<double> at = taken(10'000, 0, idle);
    ASSERT_GT(at.size(), 45u);
    for (std::size_t i = 1; i < at.size(); ++i) {
      const auto pause = [&](double before) { return std::clamp((at[i - 1] - at[0] + before) / 4, 1e-3, 20e-3); };
      EXPECT_GE(at[i] - at[i - 1], pause(0) - 1e-9) << "after " << at[i - 1];
      EXPECT_LE(at[i] - at[i - 1], pause(1e-3) + 2 * invocation) << "after " << at[i - 1];
    }
  }
}

TEST_F(steps, take_half_of_a_thread_at_most_and_but_for_4_ms_a_fiftieth) {
  for (const double each : {.01e-3, .3e-3, 1e-3, 3e-3}) {
    const std::vector<double> at = taken(10'000, each);
    ASSERT_GT(at.size(), 5u);
    for (std::size_t i = 1; i < at.size(); ++i) {
      EXPECT_GE(at[i] - at[i - 1], 2 * each - 1e-9) << each << ", after " << at[i - 1];
      EXPECT_LE(static_cast<double>(i) * each, 4e-3 + .02 * (at[i] - at[0]) + 1e-9) << each << ", at " << at[i];
    }
    EXPECT_LE(at[1] - at[0], std::max(1e-3, 2 * each) + 2 * invocation) << "the first are not kept waiting";
  }
}

// A quarter of a percent means a pause of 80 ms for 0.2 ms. A pause is at most 100 ms, unless a fiftieth requires more:
// 150 ms for 3 ms.
TEST_F(steps, take_a_quarter_of_a_percent_in_the_end_where_that_is_soon_enough) {
  const std::pair<double, double> pauses[]{
      {.01e-3, 20e-3}, {.1e-3, 40e-3}, {.2e-3, 80e-3}, {1e-3, 100e-3}, {3e-3, 150e-3}};
  for (const auto& [each, pause] : pauses) {
    const std::vector<double> at = taken(20'000, each);
    ASSERT_GT(at.size(), 5u);
    EXPECT_NEAR(at.back() - at[at.size() - 2], pause, 2 * invocation + 1e-9) << each;
  }
}

// Does something during the first step that finds the component observed.
struct acting_rule : allocation_rule {
  explicit acting_rule(std::function<void()>& a) : act(a) {}
  std::string name() const override { return "acting"; }
  allotment decide(const system_view& view) const override {
    return {std::vector<share>(view.components.size()), view.cores};
  }
  assessment assess(const system_view& view, const allotment& given) const override {
    if (view.components[0].invocations > 0)
      if (const auto once = std::exchange(act, nullptr)) once();
    return allocation_rule::assess(view, given);
  }
  bool adapts() const override { return true; }

  std::function<void()>& act;
};

TEST_F(steps, are_not_asked_for_by_what_is_observed_during_one) {
  std::unique_ptr<detail::worker> other;
  std::unique_ptr<detail::run_state> run;
  std::function<void()> act = [&] {
    observation one;
    one.start = 1;  // long after the time of the next step as computed before this one
    one.seconds = invocation;
    run->observe(*other, one);  // as a thread that ends an invocation now
  };
  options o = on(time);
  o.policy = acting_rule(act);
  run = std::make_unique<detail::run_state>(box_of_100_us(), o);
  other = std::make_unique<detail::worker>();
  record out;
  for (int i = 0; act && i < 100; ++i) {
    run->send(record(n = i));
    EXPECT_TRUE(run->next(out));
    run->step();
  }
  ASSERT_FALSE(act) << "no step looked at what was observed";
  EXPECT_FALSE(run->is_step_requested());
  time->advance(1);
  run->send(record(n = 2));
  EXPECT_TRUE(run->next(out));
  EXPECT_TRUE(run->is_step_requested()) << "the next invocation asks again";
  run->close();
  run->wait();
}

}  // namespace
}  // namespace weir
