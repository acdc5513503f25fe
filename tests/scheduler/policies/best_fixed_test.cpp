#include <weir/scheduler/policies/best_fixed.hpp>

#include <gtest/gtest.h>

#include <weir/scheduler/policies/equal_shares.hpp>
#include "scheduler/control/controller.hpp"
#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

using namespace testing;

std::shared_ptr<const estimator> model(testing::truth times, bool alpha_known) {
  return std::make_shared<testing::known_truth>(std::move(times), alpha_known);
}

system_view before(const system_view& view) {
  system_view blind = view;
  for (component_view& c : blind.components) {
    c = testing::unobserved(c.name);
    c.max_width = 1;
  }
  return blind;
}

TEST(best_fixed, starts_with_equal_shares_and_decides_once_when_every_model_is_known) {
  system_view view = view_of(12, testing::check_components());
  controller control(best_fixed{});
  view.current = control.step(before(view)).value();
  EXPECT_EQ(cores_of(view.current), (std::vector<int>{4, 4, 4}));
  system_view guessing = view;
  guessing.components[0].model = model(amdahl(12, .95), false);
  EXPECT_EQ(control.step(guessing), std::nullopt);
  view.current = control.step(view).value();
  EXPECT_EQ(cores_of(view.current), (std::vector<int>{7, 4, 1}));
  EXPECT_EQ(control.decisions().back().why, "every model is known: this division stays");
  EXPECT_NEAR(control.decisions().back().predicted_gain, 12 * (.95 / 4 + .05) / 2.228571428 - 1, 1e-6);
  // It does not change with the models.
  view.components[2].model = model(amdahl(200, .95), true);
  for (int records = 0; records < 200; ++records) {
    for (component_view& c : view.components) ++c.invocations, ++c.invocations_since_move;
    EXPECT_EQ(control.step(view), std::nullopt);
  }
}

TEST(best_fixed, decides_after_enough_invocations_when_a_model_never_gets_to_know) {
  system_view view = view_of(12, testing::check_components());
  view.components[0].model = model(amdahl(12, .95), false);
  controller control(best_fixed{});
  view.current = control.step(before(view)).value();
  int records = 1;
  std::optional<allotment> next;
  for (; records < 200 && !next; ++records) {
    for (component_view& c : view.components) c.invocations = static_cast<std::uint64_t>(records);
    next = control.step(view);
  }
  EXPECT_EQ(records - 1, 64);
  ASSERT_TRUE(next);
  EXPECT_EQ(cores_of(*next), (std::vector<int>{7, 4, 1}));
}

TEST(best_fixed, decides_at_once_when_the_models_are_known_from_before_and_again_for_other_cores) {
  system_view view = view_of(12, testing::check_components());
  controller control(best_fixed{objective::latency});
  view.current = control.step(view).value();
  EXPECT_EQ(cores_of(view.current), (std::vector<int>{6, 4, 2}));
  EXPECT_EQ(control.decisions().back().why, "best fixed latency to start with");
  EXPECT_EQ(control.step(view), std::nullopt);
  view.cores = core_set::range(0, 8);
  EXPECT_EQ(cores_of(control.step(view).value()), (std::vector<int>{4, 3, 1}));
}

}  // namespace
}  // namespace weir
