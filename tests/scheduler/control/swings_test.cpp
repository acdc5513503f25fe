#include "scheduler/control/stream_history.hpp"

#include <gtest/gtest.h>

#include <weir/scheduler/policies/adaptive.hpp>
#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

using namespace testing;

const policy rule = adaptive{objective::throughput};

// Two components on 10 cores. The work of each is its x, in seconds on one core; all of it is parallel.
class a_history_of_swings : public ::testing::Test {
 protected:
  a_history_of_swings() {
    const testing::truth times = [](double x, int p) { return x / p; };
    view_ = view_of(10, {component("a", times, 1), component("b", times, 1)});
    view_.current = shares(5, 5);
  }

  static allotment shares(int a, int b) {
    allotment given;
    given.components = {{core_set::range(0, a), 1}, {core_set::range(a, b), 1}};
    return given;
  }

  // Adds `windows` windows in which the components had this work.
  void pass(int windows, double a, double b, bool is_foreseen = false) {
    const double work[] = {a, b};
    for (int k = 0; k < windows; ++k) {
      for (std::size_t i = 0; i < 2; ++i) {
        component_view& c = view_.components[i];
        c.recent.assign(stream_history::window, {work[i], 5, work[i] / 5});
        c.inputs = {{work[i], 1}};
        c.invocations += stream_history::window;
        c.next_inputs.clear();
        if (is_foreseen) c.next_inputs = c.inputs;
      }
      history_.take(view_, true);
    }
  }

  std::optional<stream_history::compromise> asked(const std::vector<allotment>& candidates) const {
    return history_.beats_following(view_, rule, candidates, 1e-3);
  }

  system_view view_;
  stream_history history_;
};

TEST_F(a_history_of_swings, prefers_one_division_where_work_swings_faster_than_cores_can_follow) {
  for (int swing = 0; swing < 6; ++swing) {
    pass(3, 9, 1);
    pass(3, 1, 9);
  }
  const auto steady = asked({shares(9, 1), shares(1, 9), shares(5, 5)});
  ASSERT_TRUE(steady);
  EXPECT_EQ(steady->index, 2u);
  EXPECT_NEAR(steady->costs[2], 9.0 / 5, 1e-9) << "by hand: the busier one has 9 s of work on 5 cores";
  EXPECT_NEAR(steady->costs[0], (1 + 9) / 2.0, 0.2) << "one of its cores for 9 s, in half of the windows";
}

// The division for all of it is found from the work of all of it.
TEST_F(a_history_of_swings, knows_the_work_that_such_a_division_is_for) {
  for (int swing = 0; swing < 6; ++swing) {
    pass(3, 9, 1);
    pass(3, 1, 9);
  }
  for (const system_view& of : {history_.with_mean_work(view_), history_.with_largest_work(view_)}) {
    const allotment given = rule.decide(of);
    EXPECT_EQ(given.components[0].cores.size(), 5);
    EXPECT_EQ(given.components[1].cores.size(), 5);
  }
}

// Where records that wait tell of changes, cores follow a window earlier.
TEST_F(a_history_of_swings, lets_a_swing_be_followed_that_is_foreseen) {
  for (const bool is_foreseen : {false, true}) {
    history_.clear();
    for (int swing = 0; swing < 2; ++swing) {
      pass(12, 9, 1, is_foreseen);
      pass(12, 1, 9, is_foreseen);
    }
    EXPECT_EQ(asked({shares(1, 9), shares(9, 1), shares(5, 5)}).has_value(), !is_foreseen);
  }
}

TEST_F(a_history_of_swings, lets_a_stream_be_followed_that_changes_once) {
  pass(30, 9, 1);
  pass(3, 1, 9);
  EXPECT_FALSE(asked({shares(9, 1), shares(1, 9), shares(5, 5)}));
}

TEST_F(a_history_of_swings, lets_a_stream_be_followed_whose_phases_return_but_last) {
  for (int phase = 0; phase < 2; ++phase) {
    pass(16, 9, 1);
    pass(16, 1, 9);
  }
  EXPECT_FALSE(asked({shares(9, 1), shares(1, 9), shares(5, 5)})) << "2 windows of 16 are lost, less than half";
}

TEST_F(a_history_of_swings, has_no_opinion_before_it_has_seen_swings_and_after_it_was_cleared) {
  EXPECT_FALSE(asked({shares(9, 1), shares(1, 9)}));
  pass(1, 9, 1);
  EXPECT_FALSE(asked({shares(9, 1), shares(1, 9)}));
  for (int swing = 0; swing < 6; ++swing) {
    pass(3, 9, 1);
    pass(3, 1, 9);
  }
  ASSERT_TRUE(asked({shares(9, 1), shares(1, 9), shares(5, 5)}));
  history_.clear();
  EXPECT_FALSE(asked({shares(9, 1), shares(1, 9), shares(5, 5)}));
}

// One late invocation in a window of eight hardly changes the work that is remembered.
TEST_F(a_history_of_swings, takes_no_late_invocation_for_a_swing) {
  for (int k = 0; k < 12; ++k) {
    for (component_view& c : view_.components) {
      c.recent.assign(stream_history::window, {5, 5, 1});
      c.inputs = {{5, 1}};
      c.recent.back().seconds = 40;
      c.invocations += stream_history::window;
    }
    history_.take(view_);
  }
  for (const component_view& c : history_.with_largest_work(view_).components)
    EXPECT_NEAR(c.time_factor, (7 + 2) / 8.0, 1e-9) << "by hand: the late one counts twice, not 40 times";
}

// A window in which a component was not invoked has the work of the one before.
TEST_F(a_history_of_swings, keeps_the_work_of_a_component_that_had_nothing_to_do) {
  pass(1, 9, 1);
  view_.components[0].invocations += stream_history::window;
  history_.take(view_);
  EXPECT_NEAR(history_.with_mean_work(view_).components[1].time_factor, 1, 1e-9);
}

}  // namespace
}  // namespace weir
