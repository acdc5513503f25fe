#include "scheduler/control/kind_factors.hpp"

#include <gtest/gtest.h>

#include <memory>

#include <weir/model/named/estimators.hpp>
#include "scheduler/control/learner.hpp"
#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

std::shared_ptr<const topology> two_kinds() {
  return std::make_shared<const topology>(topology::synthetic("core:8 pu:1 kinds:4xP,4xE@0.5"));
}

observation on(int core, double seconds, int cores = 1) {
  observation o;
  o.first_core = static_cast<std::uint32_t>(core);
  o.cores = cores;
  o.seconds = seconds;
  return o;
}

// The first kind seen is the model's. The factor of the other is 2 by the machine, and becomes the 3 that is measured.
TEST(kind_factors, go_from_what_the_machine_says_to_what_is_measured) {
  kind_factors factors(two_kinds());
  const auto mean = [](int) { return 1.0; };
  factors.observe(on(0, 1), 1, mean);
  EXPECT_EQ(factors.by_kind(), (std::vector<double>{1, 2}));
  double before = 2;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(factors.observe(on(5, 3), 3, mean), i + 1 >= kind_factors::settled) << i;
    EXPECT_GT(factors.by_kind()[1], before);
    before = factors.by_kind()[1];
  }
  EXPECT_NEAR(before, 3, .03);
  EXPECT_NEAR(factors.factor(on(5, 3), mean), 3, .03);
}

TEST(kind_factors, of_a_component_that_began_on_slow_cores_are_below_one_on_fast_ones) {
  kind_factors factors(two_kinds());
  const auto mean = [](int) { return 3.0; };
  factors.observe(on(7, 3), 3, mean);
  EXPECT_EQ(factors.by_kind(), (std::vector<double>{.5, 1}));
  for (int i = 0; i < 250; ++i) factors.observe(on(1, 1), 1, mean);
  EXPECT_NEAR(factors.by_kind()[0], 1. / 3, .01);
}

// An error of the model is in both kinds' times, and no factor.
TEST(kind_factors, leave_out_what_is_wrong_with_the_model) {
  kind_factors factors(two_kinds());
  const auto mean = [](int) { return .7; };
  for (int i = 0; i < 200; ++i) factors.observe(i % 2 ? on(5, 3) : on(0, 1), i % 2 ? 3 : 1, mean);
  EXPECT_NEAR(factors.by_kind()[1], 3, .05);
}

// While only one kind is in use, a change of times is the component's, not the kind's.
TEST(kind_factors, stay_while_the_kind_of_the_model_is_long_out_of_use) {
  kind_factors factors(two_kinds());
  const auto mean = [](int) { return 1.0; };
  for (int i = 0; i < 100; ++i) factors.observe(i % 2 ? on(5, 3) : on(0, 1), i % 2 ? 3 : 1, mean);
  for (int i = 0; i < kind_factors::kept; ++i) factors.observe(on(5, 3), 3, mean);
  const std::vector<double> before = factors.by_kind();
  for (int i = 0; i < 1000; ++i) factors.observe(on(5, 9), 9, mean);
  EXPECT_EQ(factors.by_kind(), before);
}

TEST(kind_factors, are_not_learnt_from_first_invocations_nor_from_lanes_across_kinds) {
  kind_factors factors(two_kinds());
  const auto mean = [](int cores) { return 1.0 / cores; };
  factors.observe(on(0, 1), 1, mean);
  observation first = on(5, 9);
  first.after_move = true;
  factors.observe(first, 9, mean);
  // A lane of two P and two E cores is as fast as three P cores.
  EXPECT_NEAR(factors.factor(on(2, 1, 4), mean), 4. / 3, 1e-12);
  EXPECT_TRUE(factors.observe(on(2, 1, 4), 1, mean));
  EXPECT_EQ(factors.by_kind(), (std::vector<double>{1, 2}));
}

// Times on both kinds lead to the same model, and the view says how the kinds differ.
TEST(kind_factors, let_a_learner_learn_one_model_from_both_kinds) {
  learner l(make_estimator("weir", degree{1}), two_kinds());
  for (int i = 0; i < 200; ++i) {
    observation o = on(i % 2 ? 6 : 1, 0);
    o.x = 1 + i % 5;
    o.start = i;
    o.seconds = 1e-2 * o.x * (i % 2 ? 2.6 : 1);
    if (i >= 50) {
      EXPECT_NEAR(l.expected(o), o.seconds, .05 * o.seconds) << i;
    }
    l.observe(o);
  }
  component_view view;
  l.fill(view);
  ASSERT_EQ(view.kind_factors.size(), 2u);
  EXPECT_NEAR(view.kind_factors[1] / view.kind_factors[0], 2.6, .1);
  EXPECT_NEAR(view.model->mean(3, 1) * view.kind_factors[0], 3e-2, 1e-3);
}

TEST(kind_factors, are_none_where_cores_are_alike) {
  learner l(make_estimator("weir", degree{1}), std::make_shared<const topology>(topology::synthetic("core:8 pu:1")));
  l.observe(on(3, 1));
  component_view view;
  l.fill(view);
  EXPECT_TRUE(view.kind_factors.empty());
}

}  // namespace
}  // namespace weir
