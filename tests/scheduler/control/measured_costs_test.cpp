#include "scheduler/control/stream_history.hpp"

#include <gtest/gtest.h>

#include <weir/scheduler/policies/adaptive.hpp>
#include "scheduler/control/assessor.hpp"
#include "scheduler/control/controller.hpp"
#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

using testing::component;
using testing::view_of;

const policy by_bottleneck_rule = adaptive{objective::throughput};
const assessor both{by_bottleneck_rule, by_bottleneck_rule};

// Two components on 10 cores. Their models expect x seconds on one core, all of it parallel.
class measured_costs_of_allotments : public ::testing::Test {
 protected:
  measured_costs_of_allotments() {
    const testing::truth times = [](double x, int p) { return x / p; };
    view_ = view_of(10, {component("a", times, 1), component("b", times, 1)});
    for (component_view& c : view_.components) c.inputs = {{1, 1}};
    view_.current = shares(5, 5);
  }

  static allotment shares(int a, int b) {
    allotment given;
    given.components = {{core_set::range(0, a), 1}, {core_set::range(a, b), 1}};
    return given;
  }

  // Gives each component `records` records, each of which took `factor` times the seconds that the models expect. The
  // last `late` are late.
  void pass(int records, double factor, int late = 0) {
    for (std::size_t i = 0; i < 2; ++i) {
      component_view& c = view_.components[i];
      const int cores = view_.current.components[i].cores.size();
      const double x = c.inputs.front().x, seconds = factor * x / cores;
      c.recent.assign(static_cast<std::size_t>(records), {x, cores, seconds});
      for (int k = 0; k < late; ++k) c.recent[static_cast<std::size_t>(records - 1 - k)].seconds *= 1000;
      c.invocations += static_cast<std::uint64_t>(records);
      c.invocations_since_move += static_cast<std::uint64_t>(records);
      c.inputs_seen += static_cast<std::uint64_t>(records);
    }
    costs_.take(view_, both);
  }

  void move_to(allotment next) {
    view_.current = std::move(next);
    for (component_view& c : view_.components) c.invocations_since_move = 0;
    costs_.take(view_, both);
  }

  system_view view_;
  stream_history costs_;
};

TEST_F(measured_costs_of_allotments, are_medians_so_that_late_invocations_do_not_count) {
  pass(0, 1);
  pass(8, 2, 3);
  const auto now = costs_.cost_of_current(view_, both);
  ASSERT_TRUE(now);
  EXPECT_NEAR(now->mean, 2 / 5.0, 1e-9);
  EXPECT_EQ(now->records, 8);
}

TEST_F(measured_costs_of_allotments, say_with_few_records_no_more_than_the_model) {
  pass(0, 1);
  EXPECT_FALSE(costs_.cost_of_current(view_, both));
  pass(3, 7);
  EXPECT_NEAR(costs_.cost_of_current(view_, both)->mean, 1 / 5.0, 1e-9) << "three may be late";
  pass(1, 7);
  EXPECT_NEAR(costs_.cost_of_current(view_, both)->mean, 7 / 5.0, 1e-9) << "four are seldom late";
}

TEST_F(measured_costs_of_allotments, are_kept_and_hold_for_other_inputs_as_models_expect) {
  pass(0, 1);
  pass(16, 2);
  move_to(shares(8, 2));
  ASSERT_EQ(costs_.before(), (std::vector{shares(5, 5)}));
  EXPECT_NEAR(costs_.cost_of(shares(5, 5), view_, both)->mean, 2 / 5.0, 1e-9);
  EXPECT_FALSE(costs_.cost_of(shares(8, 2), view_, both));
  for (component_view& c : view_.components) c.inputs = {{3, 1}};
  EXPECT_NEAR(costs_.cost_of(shares(5, 5), view_, both)->mean, 3 * 2 / 5.0, 1e-9);
  move_to(shares(5, 5));
  EXPECT_EQ(costs_.before(), (std::vector<allotment>{})) << "it is in force";
}

// The model of `b` says that b needs eight of ten cores. There everything takes eight times as long as it did, which
// the models take for a stream that became slower. Only earlier measurements say otherwise.
class a_controller_whose_models_learnt_what_is_wrong : public measured_costs_of_allotments {
 protected:
  // Runs until the controller has moved away from equal shares and `records` ran where it moved to.
  controller misled(controller_options options, int records, double slower) {
    for (component_view& c : view_.components) c.recent.clear();
    view_.current = {};
    controller control(by_bottleneck_rule, options);
    view_.current = *control.step(view_);
    for (component_view& c : view_.components) c.recent = {{1, 5, 1 / 5.0}};
    EXPECT_FALSE(control.step(view_));
    learn(1, 4);
    pass(12, 1);
    const auto next = control.step(view_);
    EXPECT_TRUE(next);
    equal_ = view_.current;
    view_.current = *next;
    for (component_view& c : view_.components) c.invocations_since_move = 0;
    EXPECT_FALSE(control.step(view_));
    learn(slower, 4 * slower);
    pass(records, 1);
    return control;
  }

  // Sets the seconds on one core that the models expect from here on, the same as those measured.
  void learn(double a, double b) {
    view_.components[0].inputs = {{1, 1}}, view_.components[1].inputs = {{1, 1}};
    const double seconds[] = {a, b};
    for (std::size_t i = 0; i < 2; ++i) {
      const double all = seconds[i];
      view_.components[i].model = std::make_shared<testing::known_truth>([all](double, int p) { return all / p; });
    }
    factors_ = {a, b};
  }

  void pass(int records, double factor) {
    for (std::size_t i = 0; i < 2; ++i) {
      component_view& c = view_.components[i];
      const int cores = view_.current.components[i].cores.size();
      c.recent.assign(static_cast<std::size_t>(records), {1, cores, factor * factors_[i] / cores});
      c.invocations += static_cast<std::uint64_t>(records);
      c.invocations_since_move += static_cast<std::uint64_t>(records);
      c.inputs_seen += static_cast<std::uint64_t>(records);
    }
    view_.time += 10;
  }

  std::vector<double> factors_;
  allotment equal_;
};

TEST_F(a_controller_whose_models_learnt_what_is_wrong, goes_back_and_stays_where_that_helped) {
  controller control = misled({}, 12, 8);
  const auto back = control.step(view_);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, equal_);
  EXPECT_NE(control.decisions().back().why.find("gone back to a division that was measured before: "),
            std::string::npos);
  view_.current = *back;
  for (component_view& c : view_.components) c.invocations_since_move = 0;
  EXPECT_FALSE(control.step(view_));
  learn(1, 4);
  pass(12, 1);
  EXPECT_FALSE(control.step(view_)) << "the direction to the other one is blocked, whatever the models promise";
  ASSERT_TRUE(control.decisions().back().realised_gain);
  EXPECT_GT(*control.decisions().back().realised_gain, 1);
  EXPECT_FALSE(control.decisions().back().reverted);
}

TEST_F(a_controller_whose_models_learnt_what_is_wrong, returns_where_going_back_did_not_help) {
  controller control = misled({}, 12, 8);
  const allotment other = view_.current;
  const auto back = control.step(view_);
  ASSERT_TRUE(back);
  view_.current = *back;
  for (component_view& c : view_.components) c.invocations_since_move = 0;
  EXPECT_FALSE(control.step(view_));
  pass(12, 1);  // as slow as the models say: the stream did become slower
  const auto again = control.step(view_);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, other);
  EXPECT_TRUE(control.decisions()[control.decisions().size() - 2].reverted);
}

TEST_F(a_controller_whose_models_learnt_what_is_wrong, stays_where_the_difference_is_small) {
  EXPECT_FALSE(misled({}, 12, 1.05).step(view_));
}

TEST_F(a_controller_whose_models_learnt_what_is_wrong, stays_until_the_difference_has_cost_what_finding_out_does) {
  EXPECT_FALSE(misled({}, 4, 2).step(view_)) << "four records at twice the time are less than six";
}

TEST_F(a_controller_whose_models_learnt_what_is_wrong, stays_where_it_may_not_go_back) {
  controller_options without;
  without.go_back = false;
  EXPECT_FALSE(misled(without, 12, 8).step(view_));
}

// A rule of a user, which does not say that it reads no invocations.
class derived_rule : public adaptive {};

// Views for a rule that reads no invocations keep the last of them, and all of a component without inputs. So the rule
// answers as by the whole view. A rule that may read them gets the whole.
TEST_F(measured_costs_of_allotments, are_asked_of_views_without_what_the_rule_does_not_read) {
  pass(8, 1.5);
  view_.components[1].inputs.clear();
  const system_view enough = without_samples(view_, by_bottleneck_rule);
  EXPECT_EQ(enough.components[0].recent.size(), 1u);
  EXPECT_EQ(enough.components[1].recent.size(), view_.components[1].recent.size());
  EXPECT_EQ(by_bottleneck_rule.decide(enough), by_bottleneck_rule.decide(view_));
  EXPECT_EQ(by_bottleneck_rule.assess(enough, shares(5, 5)).cost, by_bottleneck_rule.assess(view_, shares(5, 5)).cost);
  EXPECT_EQ(without_samples(view_, policy(derived_rule())).components[0].recent.size(), 8u);
}

}  // namespace
}  // namespace weir
