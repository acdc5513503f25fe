#include "scheduler/control/controller.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include <weir/scheduler/policies/fixed_shares.hpp>
#include "model/number_text.hpp"
#include "scheduler/expect/expectation.hpp"
#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

using namespace testing;

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

// A stream of records through components, one after another as fast as the slowest allows. Each has what its model
// says, which it never changes, and what its invocations take, to one part in a hundred.
struct closed_loop {
  struct law {
    testing::truth model, real;
  };

  closed_loop(int cores, std::vector<law> of, controller_options options = {})
      : laws(std::move(of)), control(adapting, options) {
    std::vector<component_view> components;
    for (std::size_t i = 0; i < laws.size(); ++i) {
      components.push_back(component(std::string(1, static_cast<char>('a' + i)), laws[i].model, 1));
      components.back().recent.clear();
      components.back().invocations = components.back().invocations_since_move = 0;
    }
    view = view_of(cores, std::move(components));
    view.current = *control.step(view);
  }

  double seconds_a_record() const {
    double slowest = 0;
    for (std::size_t i = 0; i < laws.size(); ++i)
      slowest = std::max(slowest, laws[i].real(1, std::max(1, view.current.components[i].cores.size())));
    return slowest;
  }

  void run(int records) {
    for (; records > 0; --records) {
      for (std::size_t i = 0; i < laws.size(); ++i) {
        component_view& c = view.components[i];
        const int cores = std::max(1, view.current.components[i].cores.size());
        const double noise = ++c.invocations % 2 == 0 ? 1.01 : 0.99;
        ++c.invocations_since_move;
        ++c.inputs_seen;
        c.queue_length = 1;
        c.recent.push_back({1, cores, noise * laws[i].real(1, cores)});
        if (c.recent.size() > 256) c.recent.erase(c.recent.begin());
      }
      view.time += seconds_a_record();
      if (auto next = control.step(view)) {
        view.current = *std::move(next);
        view.in_force_since = view.time;
        for (component_view& c : view.components) c.invocations_since_move = 0;
      }
    }
  }

  std::vector<law> laws;
  controller control;
  system_view view;
};

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
  EXPECT_NEAR(made.predicted_gain, 51.2 / 27.496 - 1, 0.1);
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

// A single invocation does not decide.
TEST(controller, weighs_others_after_two_invocations) {
  for (const bool alpha_known : {false, true}) {
    system_view view = unequal(0);
    controller control = started(view);
    view.components[1].model = model(amdahl(9, .95), 0, alpha_known);
    for (component_view& c : view.components) c.invocations = 1;
    std::uint64_t waited = 0;
    for (; waited < 100 && !control.step(view); ++waited)
      for (component_view& c : view.components) c.invocations_since_move = waited + 1;
    EXPECT_EQ(waited, 2u) << alpha_known;
  }
}

TEST(controller, stays_when_the_gain_is_small_or_drowns_in_noise) {
  system_view view = unequal();
  controller control = started(view, {.min_gain = 10});
  EXPECT_EQ(control.step(view), std::nullopt);
  view.components[1].model = model(amdahl(4, .95), 1.3);
  controller noisy = started(view, {.noise_weight = 1});
  EXPECT_EQ(noisy.step(view), std::nullopt) << "a standard error of 1.3/sqrt(12) is more than the gain";
  for (component_view& c : view.components) c.invocations = c.invocations_since_move = 1000;
  EXPECT_TRUE(noisy.step(view)) << "1.3/sqrt(64) is less";
}

// The model of b guesses that more than four cores take longer, and never learns that it is wrong. The draws doubt it.
TEST(controller, finds_by_trials_that_more_cores_help_where_a_model_says_that_they_hurt) {
  const testing::truth doubted = [](double, int p) { return 8.0 / std::min(p, 4) + (p > 4 ? .1 * p : 0); };
  closed_loop loop(16, {{amdahl(.1, 0), amdahl(.1, 0)}, {doubted, amdahl(8, 1)}});
  loop.view.components[1].model = model(doubted, 0, false);
  loop.run(400);
  EXPECT_GE(cores_of(loop.view.current)[1], 11);
  EXPECT_LE(loop.seconds_a_record(), 8.0 / 11);
}

// A trial of a number of cores that takes longer is undone, and its seconds are few.
TEST(controller, undoes_trials_that_disappoint_and_loses_little_by_them) {
  const testing::truth right = [](double, int p) { return 8.0 / std::min(p, 4) + (p > 4 ? .1 * p : 0); };
  closed_loop loop(16, {{amdahl(.1, 0), amdahl(.1, 0)}, {right, right}});
  loop.run(1000);
  EXPECT_LE(loop.view.time, 1.03 * 1000 * right(1, 4));
}

TEST(controller, stays_when_a_move_costs_more_than_it_gains_within_the_horizon) {
  system_view view = unequal();
  const double now = expected_times(view, view.current).bottleneck;
  const double then = expected_times(view, adapting.decide(view)).bottleneck;
  const double gained = (now - then) * controller_options().least_horizon;
  view.move_cost = gained * 1.1;
  EXPECT_EQ(started(view).step(view), std::nullopt);
  view.move_cost = gained * 0.7;
  EXPECT_TRUE(started(view).step(view));
  view.move_cost = 0;
  EXPECT_EQ(started(view, {.move_cost = gained * 1.1}).step(view), std::nullopt);
}

TEST(controller, measures_what_a_move_gave_on_the_inputs_since) {
  const system_view view = unequal();
  controller control = started(view);
  const auto next = control.step(view);
  ASSERT_TRUE(next);
  const std::vector<testing::truth> real{amdahl(1, .95), amdahl(4, .95)};
  control.step(after(view, *next, 12, real));
  const decision made = control.decisions()[1];
  ASSERT_TRUE(made.realised_gain);
  const int before = cores_of(view.current)[1], then = cores_of(*next)[1];
  EXPECT_NEAR(*made.realised_gain, real[1](1, before) / real[1](1, then) - 1, 1e-9);
  EXPECT_NEAR(made.predicted_gain, *made.realised_gain, 0.1);
}

// The models promise a gain that does not come true, and learn nothing from it: b takes longer on more cores.
TEST(controller, takes_back_a_move_that_lost_whatever_the_models_say) {
  const testing::truth hurts = [](double, int p) { return p <= 4 ? amdahl(4, .95)(1, p) : 2.0; };
  closed_loop loop(8, {{amdahl(1, .95), amdahl(1, .95)}, {amdahl(4, .95), hurts}});
  loop.run(300);
  EXPECT_EQ(cores_of(loop.view.current)[1], 4);
  const std::vector<decision> all = loop.control.decisions();
  EXPECT_TRUE(std::ranges::any_of(all, &decision::reverted));
  EXPECT_TRUE(std::ranges::any_of(
      all, [](const decision& d) { return d.why.starts_with("taken back: the last move gave 0."); }));
  EXPECT_LE(loop.view.time, 1.05 * 300 * hurts(1, 4));
}

// The model learns that times are longer, and takes more cores for useless, not for harmful: only what was measured on
// four cores tells.
TEST(controller, takes_back_a_loss_that_its_model_has_learnt_and_knows_no_remedy_for) {
  const testing::truth hurts = [](double, int p) { return p <= 4 ? amdahl(4, .95)(1, p) : 2.0; };
  closed_loop loop(8, {{amdahl(1, .95), amdahl(1, .95)}, {amdahl(4, .95), hurts}});
  while (loop.control.decisions().size() < 2) loop.run(1);
  loop.view.components[1].model = model([](double, int) { return 1.6; });
  loop.run(300);
  EXPECT_LE(cores_of(loop.view.current)[1], 4);
}

// A model that never saw fewer cores than four takes half of them for as good. They are twice as good.
TEST(controller, finds_by_trials_that_fewer_cores_are_faster) {
  const testing::truth flat = [](double, int p) { return 2 + .1 / p; };
  const testing::truth best_on_two = [](double, int p) { return p <= 2 ? 1.0 : 2.0; };
  closed_loop loop(8, {{amdahl(.1, .95), amdahl(.1, .95)}, {flat, best_on_two}});
  auto known = std::make_shared<testing::known_truth>(flat);
  known->set_smallest_cores(4);
  loop.view.components[1].model = known;
  loop.run(600);
  EXPECT_LE(cores_of(loop.view.current)[1], 2);
}

// To take the cores of a component that no record has reached yet costs much when one does.
TEST(controller, leaves_cores_to_a_component_that_was_not_reached_yet) {
  system_view view = unequal(12);
  view.components.push_back(component("seldom", amdahl(20, .95), 1));
  view.components[2].visits = 0;
  view.components[2].invocations = view.components[2].invocations_since_move = 0;
  controller control(adapting);
  system_view before = view;
  before.current = {};
  for (component_view& c : before.components) c.recent.clear();
  before.components[0] = testing::unobserved("a");
  view.current = *control.step(before);
  EXPECT_EQ(control.step(view), std::nullopt);
  for (std::size_t i = 0; i < 2; ++i) view.components[i].invocations = 64;
  EXPECT_TRUE(control.step(view)) << "by now it is taken to be one that none reaches";
}

// Cores were divided without it, and one invocation on one core may take as long as all others of the stream.
TEST(controller, gives_cores_to_a_component_after_its_first_invocation_where_they_were_divided_without_it) {
  system_view view = unequal(64);
  view.components.push_back(component("seldom", amdahl(200, .95), 1));
  view.components[2].model = model(amdahl(200, .95), 0, false);
  view.components[2].visits = 0;
  view.components[2].invocations = view.components[2].invocations_since_move = 0;
  view.components[2].recent.clear();
  controller control(adapting);
  system_view before = view;
  before.current = {};
  before.components[0] = testing::unobserved("a");
  view.current = *control.step(before);
  const auto without = control.step(view);
  ASSERT_TRUE(without);
  ASSERT_TRUE(without->components[2].cores.empty());

  system_view later = after(view, *without, 64, {amdahl(1, .95), amdahl(4, .95)});
  later.components[2].invocations = later.components[2].invocations_since_move = 1;
  later.components[2].visits = 1 / 128.0;
  later.components[2].recent = {{1, 1, 200}};
  const auto with = control.step(later);
  ASSERT_TRUE(with);
  EXPECT_FALSE(with->components[2].cores.empty());
}

// Two invocations in 64 records: the next 64 may have none or five.
TEST(controller, expects_one_visit_more_than_it_has_seen_of_a_part_of_the_records) {
  system_view view = unequal(64);
  view.components[1] = component("seldom", amdahl(128, .95), 1);
  view.components[1].invocations = view.components[1].invocations_since_move = 2;
  view.components[1].visits = 2.0 / 64;
  view.current = equal_shares{}.decide(view);
  controller control = started(view);
  const auto next = control.step(view);
  ASSERT_TRUE(next);
  const double seconds = 128 * (.95 / 4 + .05), visits = 2.0 / 64 * (1 + 62.0 / 64 / 2);
  const std::string why = "seldom is the bottleneck: " + in_digits(1e3 * seconds * visits, 3) + " ms a record";
  EXPECT_EQ(control.decisions().back().why.substr(0, why.size()), why);
}

TEST(controller, names_the_resources_that_limit_lanes) {
  system_view view =
      view_of(2, {component("generate", amdahl(1e-3, 0)), component("multiply", amdahl(51.2e-3, .965), 1)});
  view.components[0].max_width = 1;
  view.components[0].limited_by = "memory";
  view.current = equal_shares{}.decide(view);
  for (component_view& c : view.components) c.invocations_since_move = 12;
  controller control = started(view);
  view.time = 3;
  ASSERT_TRUE(control.step(view));
  EXPECT_EQ(control.decisions().back().why,
            "multiply is the bottleneck: 51.2 ms a record on 1 core, 27.5 ms on 2 cores with the shared group; memory "
            "lets 1 invocation of generate run at a time");
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

TEST(controller, weighs_a_move_by_the_policys_own_cost) {
  system_view view = unequal();
  const policy fastest = adaptive{objective::latency};
  system_view before = view;
  before.current = {};
  for (component_view& c : before.components) c.recent.clear();
  controller control(fastest, {.by_draws = false});
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
}

TEST(controller, without_draws_believes_its_models_and_takes_nothing_back) {
  const testing::truth hurts = [](double, int p) { return p <= 4 ? amdahl(4, .95)(1, p) : 2.0; };
  closed_loop loop(8, {{amdahl(1, .95), amdahl(1, .95)}, {amdahl(4, .95), hurts}}, {.by_draws = false});
  loop.run(100);
  ASSERT_EQ(loop.control.decisions().size(), 2u);
  EXPECT_LT(*loop.control.decisions()[1].realised_gain, 0);
  EXPECT_FALSE(loop.control.decisions()[1].reverted);
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
  EXPECT_EQ(testing::refusal([] { controller(equal_shares{}, {.trial = 0}); }),
            "controller_options: trial is 0; it must be more than 0");
}

}  // namespace
}  // namespace weir
