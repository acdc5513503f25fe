#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/best_fixed.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include <weir/scheduler/policies/fixed_shares.hpp>
#include "scheduler/control/controller.hpp"
#include "scheduler/expect/blocking.hpp"
#include "scheduler/expect/expectation.hpp"
#include "scheduler/expect/flow.hpp"
#include "scheduler/expect/latency_cost.hpp"
#include "scheduler/expect/queueing.hpp"
#include "tests/scheduler/views.hpp"
#include "tests/support/sanitizers.hpp"

// Components that wait for I/O on threads outside the cores (`.blocking(max)`): no rule gives them cores, but their
// time counts.
namespace weir {
namespace {

using namespace testing;

component_view waiting(std::string name, double seconds, int at_once) {
  component_view c = component(std::move(name), amdahl(seconds, 0));
  c.blocking = at_once;
  return c;
}

system_view without_outside(const system_view& view) {
  system_view others = view;
  std::erase_if(others.components, is_outside);
  return others;
}

// The part of an allotment for components that need cores, as counts of a view of only those.
core_counts counts_on_cores(const system_view& view, const allotment& given) {
  const core_counts all = counts_of(given);
  core_counts some{{}, all.shared, -1};
  for (std::size_t i = 0; i < view.components.size(); ++i) {
    if (is_outside(view.components[i])) continue;
    if (static_cast<int>(i) == all.host) some.host = static_cast<int>(some.components.size());
    some.components.push_back(all.components[i]);
  }
  return some;
}

TEST(outside, has_no_cores_and_is_no_member_of_the_group) {
  const core_set two = core_set::range(0, 2);
  const share store{{}, 16, true};
  EXPECT_EQ(check({{{{0, 1}, 1}, store}, {}}, two), "") << "nobody needs a group";
  EXPECT_EQ(check({{store}, {}}, two), "");
  EXPECT_EQ(check({{{}, store}, {}}, two), "the shared group has members and no core");
  EXPECT_EQ(check({{{{1}, 1, true}}, {}}, two), "component 0 runs outside the cores and has cores 1");
  EXPECT_EQ((allotment{{store, {{1}, 1}}, {1}}.shared_host()), 1);
  EXPECT_EQ(to_string({{{{0}, 1}, store, {}}, {1}}, {"a", "store", "b"}),
            "a 1 core x 1 lane {0}, store 16 at once outside the cores, shared {1} (b)");
}

TEST(outside, gets_a_share_that_says_how_many_wait_at_once_and_never_a_core) {
  system_view view = view_of(2, {component("a", amdahl(1, 0)), waiting("store", 1, 16)});
  EXPECT_EQ(to_string(place({{{2, 1}, {0, 1}}, 0, -1}, view), {"a", "store"}),
            "a 2 cores x 1 lane {0-1}, store 16 at once outside the cores");
  EXPECT_EQ(refusal([&] {
              place({{{1, 1}, {1, 1}}, 0, -1}, view);
            }),
            "counts of cores: a component has 1 and runs outside the cores");
  view.needs_shared = true;
  EXPECT_EQ(place({{{2, 1}, {0, 1}}, 0, -1}, view).shared, core_set{0}) << "dispatch still needs a core";
}

TEST(outside, equal_shares_are_those_of_the_others) {
  system_view view = view_of(8, {component("a", amdahl(1, 0)), waiting("store", 1, 4), component("b", amdahl(1, 0))});
  view.components[1].min_cores = 9;
  EXPECT_EQ(cores_of(equal_shares{}.decide(view)), (std::vector<int>{4, 0, 4}));
  EXPECT_EQ(equal_shares{}.decide(view).shared, core_set{});
}

TEST(outside, fixed_shares_give_it_nothing_in_words_and_make_no_group_for_it) {
  const system_view view = view_of(4, {component("a", amdahl(1, 0)), waiting("store", 1, 4)});
  EXPECT_EQ(refusal([&] {
              fixed_shares{{"store", 2}}.decide(view);
            }),
            "fixed_shares: \"store\" runs on threads outside the cores and is given 2 cores; leave it out");
  EXPECT_EQ(to_string(fixed_shares{{"a", 4}}.decide(view), {"a", "store"}),
            "a 4 cores x 1 lane {0-3}, store 4 at once outside the cores");
  EXPECT_EQ(to_string(fixed_shares({}).decide(view), {"a", "store"}),
            "store 4 at once outside the cores, shared {0-3} (a)");
}

TEST(outside, takes_its_time_on_one_core_over_as_many_as_wait_at_once) {
  system_view view = view_of(4, {component("a", amdahl(1, 0)), waiting("store", 6, 4), component("b", amdahl(.5, 0))});
  view.components[1].visits = 2;
  const expectation e = expected_times(view, equal_shares{}.decide(view));
  EXPECT_DOUBLE_EQ(e.seconds[1], 2 * 6 / 4.0);
  EXPECT_DOUBLE_EQ(e.bottleneck, 3);
  EXPECT_EQ(e.slowest, 1);
  view.components[1].blocking = 1000;
  EXPECT_EQ(expected_times(view, equal_shares{}.decide(view)).slowest, 0);
}

TEST(outside, is_no_work_of_the_group_nor_of_its_host) {
  const std::vector<component_view> two{component("a", amdahl(1, 0)), component("b", amdahl(8, .9))};
  std::vector<component_view> three = two;
  three.push_back(waiting("store", 2, 100));
  const share store{{}, 100, true};
  for (const core_set& group : {core_set{0}, core_set{1}}) {
    const share owner{{1, 2, 3}, 1};
    const expectation some = expected_times(view_of(4, two), {{{}, owner}, group});
    const expectation all = expected_times(view_of(4, three), {{{}, owner, store}, group});
    EXPECT_DOUBLE_EQ(all.shared, some.shared);
    EXPECT_DOUBLE_EQ(all.seconds[1], some.seconds[1]);
    EXPECT_DOUBLE_EQ(all.bottleneck, some.bottleneck);
    const double rate = .05;
    EXPECT_DOUBLE_EQ(expected_flow(view_of(4, three), {{{}, owner, store}, group}, rate).sojourn[0],
                     expected_flow(view_of(4, two), {{{}, owner}, group}, rate).sojourn[0]);
  }
}

TEST(outside, holds_a_record_for_its_time_and_the_wait_of_so_many_servers) {
  const system_view view = view_of(4, {component("a", amdahl(.1, 0)), waiting("store", 2, 3)});
  const allotment given = equal_shares{}.decide(view);
  EXPECT_DOUBLE_EQ(expected_flow(view, given, 0).latency, 2.1) << "a record alone waits for nobody";
  const flow f = expected_flow(view, given, 1.2);
  EXPECT_DOUBLE_EQ(f.throughput, 1.5);
  EXPECT_DOUBLE_EQ(f.utilisation[1], 1.2 * 2 / 3);
  EXPECT_DOUBLE_EQ(f.sojourn[1], 2 + waiting_time({1.2, 2, 0}, 3));
  EXPECT_DOUBLE_EQ(f.latency, f.sojourn[0] + f.sojourn[1]);
  EXPECT_EQ(f.longest, 1);
  EXPECT_TRUE(std::isinf(expected_flow(view, given, 1.6).latency));
}

TEST(outside, every_rule_gives_it_nothing_and_the_others_what_they_have_without_it) {
  std::mt19937 random(11);
  for (int trial = 0; trial < testing::fewer(1000); ++trial) {
    system_view view = testing::random_view(random, trial % 10 == 0 ? 64 : 12, true);
    if (trial % 5 == 0) view.components.back().runs_inline = true, view.components.back().min_cores = 1;
    for (component_view& c : view.components)
      if (random() % 3 == 0) c.blocking = 1 + static_cast<int>(random() % 8);
    if (trial % 4 == 0) view.components.push_back(waiting("store", 1, 2));
    const system_view others = without_outside(view);
    if (refusal([&] { require_minima(others); }) != testing::nothing_refused) continue;
    for (const policy& rule : {policy(equal_shares{}), policy(fixed_shares({})),
                               policy(adaptive{objective::throughput}), policy(best_fixed{objective::throughput}),
                               policy(adaptive{objective::latency}), policy(adaptive{objective::latency_at(5)})}) {
      const bool is_latency = rule.name().find("latency") != std::string::npos;
      const allotment given = rule.decide(view);
      const std::string text = rule.name() + ' ' + to_string(given, names_of(view));
      ASSERT_EQ(check(given, view.cores), "") << text;
      for (std::size_t i = 0; i < view.components.size(); ++i) {
        ASSERT_EQ(given.components[i].outside, is_outside(view.components[i])) << text;
        ASSERT_TRUE(!is_outside(view.components[i]) || given.components[i].cores.empty()) << text;
      }
      ASSERT_TRUE(!others.components.empty() || given.shared.empty()) << text;
      const core_counts alone = counts_of(rule.decide(others));
      ASSERT_TRUE(is_latency || counts_on_cores(view, given) == alone) << text;
      view.current = given;
      ASSERT_EQ(rule.decide(view), given) << "an answer in force is still the answer";
      view.current = {};
    }
  }
}

// The sum of powers behind the cost has one more term, which no division changes, so the order of divisions stays.
TEST(outside, what_costs_least_without_it_does_so_with_it) {
  std::mt19937 random(12);
  for (int trial = 0; trial < testing::fewer(200); ++trial) {
    system_view view = testing::random_view(random, 12, false);
    for (component_view& c : view.components)
      c.model = std::make_shared<known_truth>(amdahl(c.recent[0].seconds, .9), true, 1 << 20, c.recent[0].seconds);
    const system_view others = view;
    view.components.push_back(waiting("store", .1, 2));
    const adaptive rule;
    const allotment one = equal_shares{}.decide(view), other = rule.decide(view);
    const auto alone = [](allotment a) {
      a.components.pop_back();
      return a;
    };
    const double a = rule.assess(view, one).cost, b = rule.assess(view, other).cost;
    if (rule.assess(others, alone(one)).cost <= rule.assess(others, alone(other)).cost)
      EXPECT_LE(a, b * (1 + 1e-9));
    else
      EXPECT_LE(b, a * (1 + 1e-9));
    EXPECT_GE(a, rule.assess(others, alone(one)).cost * (1 - 1e-9)) << "one station more costs no less";
  }
}

// If a wait is the same for all divisions, cores are divided as without it.
TEST(outside, cores_for_latency_go_to_the_others) {
  for (const double rate : {0.0, .2}) {
    const objective goal = rate > 0 ? objective::latency_at(rate) : objective::latency;
    const std::vector<component_view> two{component("a", amdahl(1, .9)), component("b", amdahl(4, .9))};
    std::vector<component_view> three = two;
    three.insert(three.begin() + 1, waiting("store", 3, 2));
    const allotment some = adaptive(goal).decide(view_of(12, two)), all = adaptive(goal).decide(view_of(12, three));
    EXPECT_EQ(counts_on_cores(view_of(12, three), all), counts_of(some)) << goal.name();
    EXPECT_GT(adaptive(goal).assess(view_of(12, three), all).cost, 3);
  }
  // A component that cannot keep up on any number of cores leaves the answer for throughput.
  const system_view late = view_of(12, {component("a", amdahl(1, .9)), waiting("store", 30, 2)});
  EXPECT_EQ(adaptive(objective::latency_at(1)).decide(late), adaptive().decide(late));
}

// Two components on equal shares, one four times the other, and one that waits for I/O.
system_view beside_io(double seconds, int at_once) {
  system_view view = view_of(
      8, {component("a", amdahl(1, .95), 1), component("b", amdahl(4, .95), 1), waiting("store", seconds, at_once)});
  view.current = equal_shares{}.decide(view);
  for (component_view& c : view.components) c.invocations = c.invocations_since_move = 12;
  view.time = 1e6;
  return view;
}

std::optional<allotment> step_after_equal_shares(const policy& rule, const system_view& view) {
  system_view before = view;
  before.current = {};
  for (component_view& c : before.components) c.recent.clear();
  controller made(rule);
  EXPECT_EQ(made.step(before), view.current);
  return made.step(view);
}

TEST(outside, while_it_is_the_bottleneck_no_core_moves_for_the_others) {
  const policy rule = adaptive{objective::throughput};
  const auto moved = step_after_equal_shares(rule, beside_io(10, 100));
  ASSERT_TRUE(moved);
  EXPECT_GT(moved->components[1].cores.size(), 4);
  const system_view slow = beside_io(10, 2);
  EXPECT_DOUBLE_EQ(rule.assess(slow, *moved).cost, rule.assess(slow, slow.current).cost) << "nothing is to be gained";
  EXPECT_EQ(rule.assess(slow, slow.current).critical, 2);
  EXPECT_EQ(step_after_equal_shares(rule, slow), std::nullopt);
}

// A model that was observed on one core and may profit from more, as far as anything is known.
TEST(outside, is_never_tried_on_more_cores) {
  system_view view = beside_io(10, 2);
  view.components[2].model = std::make_shared<known_truth>(amdahl(10, 1), true, 1);
  view.current = adaptive{}.decide(view);
  controller made{policy(adaptive{})};
  system_view before = view;
  before.current = {};
  made.step(before);
  EXPECT_EQ(made.step(view), std::nullopt);
  EXPECT_EQ(made.decisions().size(), 1u);
}

TEST(outside, its_model_is_known_without_other_numbers_of_cores) {
  system_view view = beside_io(10, 100);
  view.components[2].model = std::make_shared<known_truth>(amdahl(10, 0), false, 1);
  const auto settled = step_after_equal_shares(best_fixed{}, view);
  ASSERT_TRUE(settled);
  EXPECT_GT(settled->components[1].cores.size(), 4);
  for (component_view& c : view.components) c.invocations_since_move = 3;
  system_view known = view;
  known.components[2].model = std::make_shared<known_truth>(amdahl(10, 0));
  EXPECT_EQ(step_after_equal_shares(adaptive{}, view), step_after_equal_shares(adaptive{}, known));
}

}  // namespace
}  // namespace weir
