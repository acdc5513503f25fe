#include "scheduler/control/controller.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include <weir/scheduler/policies/fixed_shares.hpp>
#include "scheduler/expect/expectation.hpp"
#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

using testing::amdahl;
using testing::component;
using testing::cores_of;
using testing::view_of;

const policy adapting = adaptive{objective::throughput};

std::shared_ptr<const estimator> model(testing::truth times, double spread = 0, bool alpha_known = true) {
  return std::make_shared<testing::known_truth>(std::move(times), alpha_known, 1 << 20, spread);
}

// Two components, one four times the other, on equal shares of eight cores; `since` invocations of each after that.
system_view unequal(int since = 12) {
  system_view view = view_of(8, {component("a", amdahl(1, .95), 1), component("b", amdahl(4, .95), 1)});
  view.current = equal_shares{}.decide(view);
  for (component_view& c : view.components)
    c.invocations = c.invocations_since_move = static_cast<std::uint64_t>(since);
  return view;
}

// A controller that has decided equal shares before anything was observed.
controller started(const system_view& view, controller_options options = {}) {
  system_view before = view;
  before.current = {};
  for (component_view& c : before.components) c.recent.clear();
  controller made(adapting, options);
  EXPECT_EQ(made.step(before), view.current);
  return made;
}

// The view after `records` records ran on an allotment, each of which took its true time.
system_view after(system_view view, const allotment& given, int records, const std::vector<testing::truth>& truths) {
  view.current = given;
  for (std::size_t i = 0; i < truths.size(); ++i) {
    component_view& c = view.components[i];
    c.invocations += static_cast<std::uint64_t>(records);
    c.invocations_since_move = static_cast<std::uint64_t>(records);
    const int cores = std::max(given.components[i].cores.size(), 1);
    c.recent.assign(static_cast<std::size_t>(records), {1, cores, truths[i](1, cores)});
  }
  return view;
}

TEST(controller, the_first_step_decides_and_a_rule_that_does_not_adapt_is_asked_again_only_for_other_cores) {
  system_view view = view_of(8, {component("a", amdahl(1, .9)), component("b", amdahl(9, .9))});
  controller control(fixed_shares{{"a", 2}, {"b", 3}});
  const auto first = control.step(view);
  ASSERT_TRUE(first);
  EXPECT_EQ(cores_of(*first), (std::vector<int>{2, 3}));
  view.current = *first;
  EXPECT_EQ(control.step(view), std::nullopt);
  view.cores = core_set::range(2, 6);
  const auto second = control.step(view);
  ASSERT_TRUE(second);
  EXPECT_EQ(check(*second, view.cores), "");
  ASSERT_EQ(control.decisions().size(), 2u);
  EXPECT_EQ(control.decisions()[0].why, "fixed shares to start with");
  EXPECT_EQ(control.decisions()[1].why, "the run may now use cores 2-7");
  view.cores = {2, 3};
  EXPECT_EQ(testing::refusal([&] { control.step(view); }), "fixed_shares: 5 cores are given away and there are 2");
}

TEST(controller, keeps_the_initial_decision_and_the_last_ones_however_often_the_cores_change) {
  system_view view = view_of(8, {component("a", amdahl(1, .9))});
  controller control(equal_shares{});
  for (std::size_t i = 0; i <= controller::most_decisions; ++i) {
    view.cores = i % 2 ? core_set::range(0, 4) : core_set::range(4, 4);
    view.time = static_cast<double>(i);
    if (const auto next = control.step(view)) view.current = *next;
  }
  ASSERT_EQ(control.decisions().size(), controller::most_decisions);
  EXPECT_EQ(control.forgotten().decisions, 1u);
  EXPECT_EQ(control.decisions()[0].time, 0);
  EXPECT_EQ(control.decisions()[1].time, 2) << "the oldest move is forgotten";
  EXPECT_EQ(control.decisions().back().time, static_cast<double>(controller::most_decisions));
}

TEST(controller, moves_to_the_rules_answer_and_says_why_with_numbers) {
  system_view view =
      view_of(2, {component("generate", amdahl(1e-3, 0)), component("multiply", amdahl(51.2e-3, .965), 1)});
  view.current = equal_shares{}.decide(view);
  for (component_view& c : view.components) c.invocations_since_move = 12;
  controller control = started(view);
  view.time = 3;
  const auto next = control.step(view);
  ASSERT_TRUE(next);
  EXPECT_EQ(to_string(*next, names_of(view)), "multiply 2 cores x 1 lane {0-1}, shared {0} (generate)");
  const decision made = control.decisions().back();
  EXPECT_EQ(made.why,
            "multiply is the bottleneck: 51.2 ms a record on 1 core, 27.5 ms on 2 cores with the shared group");
  EXPECT_EQ(made.time, 3);
  EXPECT_EQ(made.from, view.current);
  EXPECT_EQ(made.to, *next);
  EXPECT_NEAR(made.predicted_gain, 51.2 / 27.496 - 1, 1e-9);
  EXPECT_FALSE(made.realised_gain);
  EXPECT_FALSE(made.reverted);
}

TEST(controller, waits_until_every_component_was_observed) {
  system_view view = unequal();
  controller control = started(view);
  system_view blind = view;
  blind.components[0] = testing::unobserved("a");
  EXPECT_EQ(control.step(blind), std::nullopt);
  EXPECT_TRUE(control.step(view));
}

TEST(controller, waits_for_six_records_or_for_two_while_there_is_nothing_that_a_wait_could_confirm) {
  struct situation {
    bool blind, alpha_known;
    std::uint64_t records;
  };
  for (const situation s : {situation{true, true, 2}, situation{false, false, 2}, situation{false, true, 6}}) {
    system_view view = unequal(0);
    controller control = started(view);
    if (!s.blind) {
      view.current = {};
      control = controller(adapting);
      view.current = control.step(view).value();
    }
    // The other component is the longer one now.
    view.components[0].model = model(amdahl(s.blind ? 1 : 9, .95), 0, s.alpha_known);
    std::uint64_t waited = 0;
    for (; waited < 100 && !control.step(view); ++waited)
      for (component_view& c : view.components) c.invocations_since_move = waited + 1;
    EXPECT_EQ(waited, s.records) << s.blind << s.alpha_known;
  }
}

TEST(controller, stays_when_the_gain_is_small_or_drowns_in_noise) {
  system_view view = unequal();
  controller control = started(view, {.min_gain = 10});
  EXPECT_EQ(control.step(view), std::nullopt);
  view.components[1].model = model(amdahl(4, .95), 1.3);
  controller noisy = started(view);
  EXPECT_EQ(noisy.step(view), std::nullopt) << "a standard error of 1.3/sqrt(12) is more than the gain";
  for (component_view& c : view.components) c.invocations_since_move = 1000;
  EXPECT_TRUE(noisy.step(view)) << "1.3/sqrt(64) is less";
}

// Core counts that were not observed are tried, once for each largest number, if they could be worth it. Here a
// component's model says that more than eight cores take longer, from little evidence.
TEST(controller, explores_once_more_cores_for_the_one_that_holds_all_up) {
  const auto view_at = [](int largest, std::uint64_t invocations, const allotment& current) {
    const testing::truth doubts = [](double, int p) { return 8.0 / std::min(p, 8) + (p > 8 ? p : 0); };
    system_view view = view_of(32, {component("a", amdahl(.1, 0), 1), component("b", doubts, 1)});
    view.components[1].model = std::make_shared<testing::known_truth>(doubts, true, largest);
    for (component_view& c : view.components) c.invocations = c.invocations_since_move = invocations;
    view.current = current;
    view.time = 1e6;
    return view;
  };
  const allotment eight = adapting.decide(view_at(8, 6, {}));
  ASSERT_EQ(eight.components[1].cores.size(), 8);
  const auto at_eight = [&](controller_options options) {
    controller made(adapting, options);
    system_view before = view_at(8, 6, {});
    EXPECT_EQ(made.step(before), eight);
    return made;
  };
  controller exploring = at_eight({});
  EXPECT_EQ(exploring.step(view_at(8, 5, eight)), std::nullopt) << "too early";
  const auto more = exploring.step(view_at(8, 6, eight));
  ASSERT_TRUE(more);
  EXPECT_EQ(more->components[1].cores.size(), 16) << "no more than twice what was seen";
  EXPECT_EQ(exploring.decisions().back().why,
            "exploring: b is the bottleneck and was never tried on more than 8 cores");
  EXPECT_EQ(exploring.step(view_at(16, 12, *more)), eight) << "it is what the model said";
  // The numbers between are explored as well, half of it at a time, until none is left.
  std::uint64_t invocations = 100;
  for (const int middle : {11, 9}) {
    const auto between = exploring.step(view_at(16, invocations += 20, eight));
    ASSERT_TRUE(between);
    EXPECT_EQ(between->components[1].cores.size(), middle);
    const std::string tried = middle == 11 ? "8 and 16 cores" : "8 and 11 cores";
    EXPECT_EQ(exploring.decisions().back().why,
              "exploring: b is the bottleneck and was tried on " + tried + ", but on no number between");
    EXPECT_EQ(exploring.step(view_at(16, invocations += 20, *between)), eight) << "it is what the model said";
  }
  EXPECT_EQ(exploring.step(view_at(16, 200, eight)), std::nullopt) << "seen";
  EXPECT_EQ(exploring.step(view_at(8, 300, eight)), std::nullopt) << "once for eight";

  EXPECT_EQ(at_eight({.exploration_threshold = 0}).step(view_at(8, 6, eight)), std::nullopt);
  EXPECT_EQ(at_eight({.exploration_threshold = 1.5}).step(view_at(8, 6, eight)), std::nullopt) << "it could only halve";
  EXPECT_EQ(at_eight({.explored_part = 0}).step(view_at(8, 6, eight)), std::nullopt);
}

TEST(controller, stays_when_a_move_costs_more_than_it_gains_within_the_horizon) {
  system_view view = unequal();
  const double now = expected_times(view, view.current).bottleneck;
  const double then = expected_times(view, adapting.decide(view)).bottleneck;
  const double worth = (now / then - 1) * 100 * now;
  view.move_cost = worth * 1.01;
  EXPECT_EQ(started(view).step(view), std::nullopt);
  view.move_cost = worth * 0.99;
  EXPECT_TRUE(started(view).step(view));
  view.move_cost = 0;
  EXPECT_EQ(started(view, {.move_cost = worth * 1.01}).step(view), std::nullopt);
}

TEST(controller, measures_what_a_move_gave_on_the_inputs_since) {
  const system_view view = unequal();
  controller control = started(view);
  const auto next = control.step(view);
  ASSERT_TRUE(next);
  const system_view later = after(view, *next, 12, {amdahl(1, .95), amdahl(4, .95)});
  EXPECT_EQ(control.step(later), std::nullopt);
  ASSERT_TRUE(control.decisions().back().realised_gain);
  EXPECT_NEAR(*control.decisions().back().realised_gain, control.decisions().back().predicted_gain, 1e-9);
}

TEST(controller, takes_back_a_move_that_gave_too_little_and_blocks_its_direction_for_a_while) {
  // The model promises a gain that does not come true, and learns nothing from it: b takes as long on more cores.
  const std::vector<testing::truth> real{amdahl(1, .95), [](double, int) { return 4 * (.95 / 4 + .05); }};
  const system_view view = unequal();
  controller control = started(view);
  const auto next = control.step(view);
  ASSERT_TRUE(next);
  system_view later = after(view, *next, 12, real);
  const auto back = control.step(later);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, view.current);
  ASSERT_EQ(control.decisions().size(), 3u);
  EXPECT_TRUE(control.decisions()[1].reverted);
  EXPECT_NEAR(*control.decisions()[1].realised_gain, 0, 1e-9);
  EXPECT_NE(control.decisions()[2].why.find("1.00 times the records a second; promised was 1.38"), std::string::npos);

  int records = 0;
  for (; records < 300; ++records) {
    later = after(later, *back, 1, real);
    for (component_view& c : later.components) c.invocations_since_move = 12;
    if (control.step(later)) break;
  }
  EXPECT_EQ(records + 1, 100) << "blocked for that many invocations, then tried once more";

  later = after(later, control.decisions().back().to, 12, real);
  ASSERT_EQ(control.step(later), view.current) << "taken back again";
  for (records = 0; records < 300; ++records) {
    later = after(later, *back, 1, real);
    for (component_view& c : later.components) c.invocations_since_move = 12;
    if (control.step(later)) break;
  }
  EXPECT_EQ(records + 1, 200) << "what went wrong again is blocked twice as long";
}

TEST(controller, keeps_a_move_that_gave_less_than_half_when_the_model_learnt_from_it) {
  const system_view view = unequal();
  controller control = started(view);
  const auto next = control.step(view);
  ASSERT_TRUE(next);
  // b turns out to gain only a little, and the model now knows it.
  const testing::truth real = [](double, int p) { return p <= 4 ? 4 * (.95 / 4 + .05) : 1.0; };
  system_view later = after(view, *next, 12, {amdahl(1, .95), real});
  later.components[1].model = model(real);
  const auto after_that = control.step(later);
  EXPECT_FALSE(control.decisions()[1].reverted);
  EXPECT_LT(*control.decisions()[1].realised_gain, control.decisions()[1].predicted_gain / 2);
  EXPECT_NE(after_that, view.current);
}

// The model learns that more cores hurt, and then sees nothing to gain: only the earlier division is better.
TEST(controller, takes_back_a_loss_that_its_model_has_learnt_and_knows_no_remedy_for) {
  const testing::truth hurts = [](double, int p) { return p <= 4 ? 4 * (.95 / 4 + .05) : 2.0; };
  const testing::truth flat = [](double, int) { return 1.6; };
  const system_view view = unequal();
  controller control = started(view);
  const auto next = control.step(view);
  ASSERT_TRUE(next);
  system_view later = after(view, *next, 12, {amdahl(.1, .95), hurts});
  later.components[0].model = model(amdahl(.1, .95));
  later.components[1].model = model(flat);
  EXPECT_EQ(control.step(later), view.current);
  EXPECT_TRUE(control.decisions()[1].reverted);
  EXPECT_LT(*control.decisions()[1].realised_gain, 0);

  controller hasty = started(view);
  ASSERT_EQ(hasty.step(view), next);
  system_view early = after(view, *next, 12, {amdahl(.1, .95), hurts});
  early.components = later.components;
  for (component_view& c : early.components) c.invocations_since_move = 2;
  EXPECT_NE(hasty.step(early), view.current) << "two invocations are not believed";
}

// Half of the cores seem to do as well, by a model that never saw fewer: it is tried once, and no other share changes.
TEST(controller, explores_once_fewer_cores_where_the_model_expects_nothing_of_the_others) {
  const auto seen_from = [](int smallest, const allotment& current, std::uint64_t invocations) {
    const testing::truth flat = [](double, int p) { return 2 + .1 / p; };
    system_view view = view_of(8, {component("a", amdahl(.1, .95), 1), component("b", flat, 1)});
    auto known = std::make_shared<testing::known_truth>(flat, true, 1 << 20);
    known->set_smallest_cores(smallest);
    view.components[1].model = known;
    for (component_view& c : view.components) c.invocations = c.invocations_since_move = invocations;
    view.current = current;
    view.time = 1e6;
    return view;
  };
  const system_view equal = seen_from(4, equal_shares{}.decide(unequal()), 12);
  controller control = started(equal, {.min_gain = 0.2});
  const auto fewer = control.step(equal);
  ASSERT_TRUE(fewer);
  EXPECT_EQ(cores_of(*fewer), (std::vector<int>{4, 2}));
  EXPECT_EQ(check(*fewer, equal.cores), "");
  EXPECT_EQ(control.decisions().back().why, "exploring: b is the bottleneck, and half of its cores seem to do as well");

  controller knowing = started(equal, {.min_gain = 0.2});
  EXPECT_EQ(knowing.step(seen_from(2, equal.current, 12)), std::nullopt) << "it was seen on two before";
  controller content = started(equal, {.min_gain = 0.2, .exploration_threshold = 0});
  EXPECT_EQ(content.step(equal), std::nullopt);
}

TEST(controller, follows_when_the_models_change) {
  const system_view view = unequal();
  controller control = started(view);
  const auto next = control.step(view);
  ASSERT_TRUE(next);
  system_view later = after(view, *next, 64, {amdahl(8, .95), amdahl(1, .95)});
  later.components[0].model = model(amdahl(8, .95));
  later.components[1].model = model(amdahl(1, .95));
  const auto turned = control.step(later);
  ASSERT_TRUE(turned);
  EXPECT_GT(cores_of(*turned)[0], cores_of(*turned)[1]);
  EXPECT_EQ(control.decisions().back().why.substr(0, 19), "a is the bottleneck");
}

TEST(controller, weighs_a_move_by_the_policys_own_cost_and_takes_back_what_did_not_make_records_faster) {
  system_view view = unequal();
  const policy fastest = adaptive{objective::latency};
  system_view before = view;
  before.current = {};
  for (component_view& c : before.components) c.recent.clear();
  controller control(fastest);
  ASSERT_EQ(control.step(before), view.current);
  const auto next = control.step(view);
  ASSERT_TRUE(next);
  EXPECT_EQ(cores_of(*next), (std::vector<int>{3, 5}));
  const double now = fastest.assess(view, view.current).cost, then = fastest.assess(view, *next).cost;
  EXPECT_DOUBLE_EQ(now, 5 * (.95 / 4 + .05));
  EXPECT_NEAR(control.decisions().back().predicted_gain, now / then - 1, 1e-12);
  EXPECT_EQ(control.decisions().back().why,
            "1.44e+03 ms to pass, 1.33e+03 ms to pass after the move; b counts most: 1.15e+03 ms a record on 4 cores, "
            "960 ms on "
            "5 cores");
  const std::vector<testing::truth> real{amdahl(1, .95), [](double, int) { return 4 * (.95 / 4 + .05); }};
  EXPECT_EQ(control.step(after(view, *next, 12, real)), view.current);
  EXPECT_LT(*control.decisions()[1].realised_gain, 0);
  EXPECT_TRUE(control.decisions()[1].reverted);
}

TEST(controller, without_verification_nothing_is_taken_back) {
  const std::vector<testing::truth> real{amdahl(1, .95), [](double, int) { return 4 * (.95 / 4 + .05); }};
  const system_view view = unequal();
  controller control = started(view, {.verify = false});
  const auto next = control.step(view);
  ASSERT_TRUE(next);
  EXPECT_EQ(control.step(after(view, *next, 12, real)), std::nullopt);
  EXPECT_NEAR(*control.decisions()[1].realised_gain, 0, 1e-9);
  EXPECT_FALSE(control.decisions()[1].reverted);
}

TEST(controller, two_that_see_the_same_decide_the_same) {
  std::mt19937 random(8);
  for (int trial = 0; trial < 200; ++trial) {
    system_view view = testing::random_view(random, 16, false);
    controller one(adapting), other(adapting);
    for (int step = 0; step < 4; ++step) {
      const auto next = one.step(view);
      ASSERT_EQ(next, other.step(view));
      if (next) {
        ASSERT_EQ(check(*next, view.cores), "");
        view.current = *next;
      }
      for (component_view& c : view.components) c.invocations_since_move = 20;
    }
  }
}

TEST(controller, options_out_of_range_are_named) {
  EXPECT_EQ(testing::refusal([] { controller(equal_shares{}, {.patience = 0}); }),
            "controller_options: patience is 0; it must be 1 or more");
  EXPECT_EQ(testing::refusal([] { controller(equal_shares{}, {.kept_part = 2}); }),
            "controller_options: kept_part is 2; it must be in [0, 1]");
}

}  // namespace
}  // namespace weir
