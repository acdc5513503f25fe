#include "scheduler/policies/policy.hpp"

#include <gtest/gtest.h>

#include "scheduler/policies/adaptive.hpp"
#include "scheduler/policies/equal_shares.hpp"
#include "scheduler/policies/fixed_shares.hpp"
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
    const bool possible = testing::refusal([&] { require_minima(view); }).empty();
    for (const policy& rule : {policy(equal_shares{}), policy(adaptive{objective::throughput}),
                               policy(adaptive{objective::latency}), policy(adaptive{objective::latency_at(5)})}) {
      if (!possible) {
        ASSERT_NE(testing::refusal([&] { rule.decide(view); }), "");
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
