#include "scheduler/control/assessor.hpp"

#include <gtest/gtest.h>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

// A rule of a user, which does not say that it reads no invocations.
class derived_rule : public adaptive {};

// Views for a rule that reads no invocations keep the last of them, and all of a component without inputs. So the rule
// answers as by the whole view. A rule that may read them gets the whole.
TEST(an_assessor, is_asked_of_views_without_what_the_rule_does_not_read) {
  const policy rule = adaptive{objective::throughput};
  const testing::truth times = [](double x, int p) { return x / p; };
  system_view view = testing::view_of(10, {testing::component("a", times, 1), testing::component("b", times, 1)});
  for (component_view& c : view.components) c.recent.assign(8, {1, 5, 1.5 / 5});
  view.components[0].inputs = {{1, 1}};
  view.current = equal_shares{}.decide(view);
  const system_view enough = without_samples(view, rule);
  EXPECT_EQ(enough.components[0].recent.size(), 1u);
  EXPECT_EQ(enough.components[1].recent.size(), 8u);
  EXPECT_EQ(rule.decide(enough), rule.decide(view));
  EXPECT_EQ(rule.assess(enough, view.current).cost, rule.assess(view, view.current).cost);
  EXPECT_EQ(without_samples(view, policy(derived_rule())).components[0].recent.size(), 8u);
}

}  // namespace
}  // namespace weir
