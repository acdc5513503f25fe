#include <weir/scheduler/policies/policy.hpp>

#include <gtest/gtest.h>

#include <weir/model/named/estimators.hpp>
#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include <weir/scheduler/policies/fixed_shares.hpp>
#include "tests/scheduler/views.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

bool within_bounds(const system_view& view, const allotment& given) {
  for (std::size_t i = 0; i < view.components.size(); ++i) {
    const component_view& c = view.components[i];
    const share& s = given.components[i];
    if (c.runs_inline && s.cores.empty()) continue;
    if (s.cores.empty() ? c.min_cores >= 2 : s.cores.size() < c.min_cores || s.cores.size() > c.max_cores) return false;
    if (s.width > c.max_width) return false;
  }
  return true;
}

TEST(policy, every_answer_passes_the_check_and_the_bounds_of_every_box_and_is_a_pure_function_of_the_view) {
  std::mt19937 random(7);
  for (int trial = 0; trial < testing::fewer(2000); ++trial) {
    system_view view = testing::random_view(random, trial % 10 == 0 ? 64 : 12, true);
    if (trial % 5 == 0) view.components.back().runs_inline = true, view.components.back().min_cores = 1;
    if (trial % 7 == 0) view.components[0] = testing::unobserved("unobserved");
    if (trial % 3 == 0 && view.cores.size() > 2) view.cores = view.cores - core_set{1};
    const bool possible = testing::refusal([&] { require_minima(view); }) == testing::nothing_refused;
    for (const policy& rule : {policy(equal_shares{}), policy(adaptive{objective::throughput}),
                               policy(adaptive{objective::latency}), policy(adaptive{objective::latency_at(5)})}) {
      if (!possible) {
        ASSERT_NE(testing::refusal([&] { rule.decide(view); }), testing::nothing_refused);
        continue;
      }
      const allotment given = rule.decide(view);
      ASSERT_EQ(check(given, view.cores), "") << rule.name() << ' ' << to_string(given, names_of(view));
      ASSERT_TRUE(within_bounds(view, given)) << rule.name() << ' ' << to_string(given, names_of(view));
      ASSERT_EQ(rule.decide(view), given) << "same view, same answer";
      view.current = given;
      ASSERT_EQ(rule.decide(view), given) << "an answer in force is still the answer";
    }
  }
}

// A model that learnt some invocations of many sizes, as a run gives it to a decision.
std::shared_ptr<const estimator> any_learnt(std::mt19937& random) {
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  const double sequential = std::pow(10.0, real(-3, -1)), alpha = real(.3, 1), contention = real(0, 1) < .3 ? .01 : 0;
  const auto learnt = make_estimator("weir", degree{2});
  for (int k = 0; k < 60; ++k) {
    observation seen;
    seen.x = real(1, 4);
    seen.cores = 1 << k % 4;
    seen.seconds = sequential * seen.x * (alpha / seen.cores + 1 - alpha + contention * (seen.cores - 1)) *
                   std::exp(real(-.1, .1));
    learnt->observe(seen);
  }
  return learnt->clone();
}

std::vector<typical_input> any_inputs(std::mt19937& random) {
  const double x = std::uniform_real_distribution<double>(1, 4)(random);
  return {{x, .5}, {1.5 * x, .5}};
}

// One or a few things that differ from one step of a controller to the next.
void change_something(system_view& view, std::mt19937& random) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int changes = pick(0, 3); changes > 0; --changes) {
    component_view& c =
        view.components[static_cast<std::size_t>(pick(0, static_cast<int>(view.components.size()) - 1))];
    switch (pick(0, 10)) {
      case 0:
        c.inputs = any_inputs(random);
        break;
      case 1:
        c.visits = pick(0, 3) == 0 ? 0 : pick(1, 8) * .25;
        break;
      case 2:
        c.time_factor = pick(1, 8) * .25;
        break;
      case 3:
        c.max_width = pick(0, 1) ? 1 : pick(1, 8);
        break;
      case 4:
        c.max_cores = pick(1, 16), c.min_cores = 1;
        break;
      case 5:
        c.sequential = !c.sequential;
        break;
      case 6:
        c.blocking = pick(0, 2) == 0 ? pick(1, 4) : 0;
        break;
      case 7:
        c.runs_inline = pick(0, 2) == 0;
        break;
      case 8:
        view.cores = core_set::range(0, pick(3, 24));
        break;
      case 9:
        c.inputs.clear(), c.recent = {{pick(1, 8) * .5, 1, .1}, {pick(1, 8) * .5, 2, .1}};
        break;
      default:
        c.model = any_learnt(random);
    }
  }
  if (pick(0, 19) == 0 && view.components.size() > 2) view.components.pop_back();
}

// Results that a controller's own copy keeps of a component must never outlive the values that they followed from.
TEST(policy, a_copy_that_keeps_what_it_works_out_answers_as_the_rule_whatever_changes_between_two_views) {
  std::mt19937 random(8);
  for (int trial = 0; trial < testing::fewer(60); ++trial) {
    const objective goal = trial % 6 == 0   ? objective::latency
                           : trial % 6 == 1 ? objective::latency_at(5)
                           : trial % 6 == 2 ? objective::fewest_cores({.rate = 5})
                                            : objective::throughput;
    const policy rule = adaptive(goal), own = rule.keeping();
    system_view view = testing::view_of(24, testing::random_view(random, 24, false, 8).components);
    for (component_view& c : view.components) c.model = any_learnt(random), c.inputs = any_inputs(random);
    for (int step = 0; step < 30; ++step) {
      const allotment to = rule.decide(view);
      ASSERT_EQ(own.decide(view), to) << rule.name() << ", trial " << trial << ", step " << step;
      for (const allotment& given : {to, equal_shares{}.decide(view)}) {
        const assessment expected = rule.assess(view, given), is = own.assess(view, given);
        ASSERT_EQ(is.cost, expected.cost) << rule.name() << ", trial " << trial << ", step " << step;
        ASSERT_EQ(is.critical, expected.critical);
        for (std::size_t i = 0; i < is.seconds.size(); ++i) ASSERT_EQ(is.seconds[i], expected.seconds[i]);
      }
      view.current = to;
      change_something(view, random);
    }
  }
}

// share::width means nothing in the shared group.
TEST(policy, assesses_an_allotment_the_same_whatever_lanes_its_members_have) {
  const system_view view = testing::view_of(
      4, {testing::component("a", testing::amdahl(1, .9)), testing::component("b", testing::amdahl(4, .9))});
  for (const adaptive& rule :
       {adaptive(), adaptive(objective::latency_at(0.1)), adaptive(objective::fewest_cores({0.1}))}) {
    const auto cost = [&](int lanes) { return rule.assess(view, {{{{}, lanes}, {{0, 1}, 1}}, {2}}).cost; };
    for (const int lanes : {-1, 0, 7}) EXPECT_EQ(cost(lanes), cost(1)) << rule.name() << ", " << lanes;
  }
}

// Gives all cores to the first component.
class first_takes_all final : public adaptive {
 public:
  allotment decide(const system_view& view) const override {
    allotment all;
    all.components.resize(view.components.size());
    all.components.front().cores = view.cores;
    all.shared = view.cores.part(0, 1);
    return all;
  }
};

// A keeping copy would be of the base rule, and give the base rule's answers.
TEST(policy, a_rule_that_derives_from_adaptive_gives_its_own_answers_everywhere) {
  const system_view view = testing::view_of(
      8, {testing::component("a", testing::amdahl(1, .9)), testing::component("b", testing::amdahl(4, .9))});
  const policy rule = first_takes_all();
  ASSERT_NE(rule.decide(view), adaptive().decide(view));
  EXPECT_EQ(rule.keeping().decide(view), rule.decide(view));
}

TEST(policy, holds_any_rule_by_value_and_says_its_name) {
  const policy fixed = fixed_shares{{"a", 1}}, equal = equal_shares{}, free = adaptive{objective::throughput};
  EXPECT_EQ(fixed.name(), "fixed shares");
  EXPECT_EQ(equal.name(), "equal shares");
  EXPECT_EQ(free.name(), "adaptive throughput");
  EXPECT_FALSE(fixed.adapts());
  EXPECT_FALSE(equal.adapts());
  EXPECT_TRUE(free.adapts());
}

}  // namespace
}  // namespace weir
