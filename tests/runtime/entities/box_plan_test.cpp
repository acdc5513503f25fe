#include "runtime/entities/box_plan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include <weir/weir.hpp>

namespace weir::box_plan_test {
namespace {

constexpr tag n{"n"}, k{"k"};
constexpr field<std::string> s{"s"};

const detail::shape* shape_of(std::vector<const detail::label_info*> labels) { return detail::shape::of(labels); }

// Boxes that take and give the same labels share the plan for a shape; no others do, and a plan that was forgotten is
// made again alike.
TEST(recent_plans, are_shared_by_boxes_that_are_alike_only) {
  const auto same = [](std::int64_t v) { return v; };
  const network one = box("one", takes(n), gives(n), same), other = box("other", takes(n), gives(n), same),
                gives_k = box("gives k", takes(n), gives(k), same), takes_k = box("takes k", takes(k), gives(n), same);
  const detail::shape *const bare = shape_of({n.info(), k.info()}), *const wide =
                                                                        shape_of({n.info(), k.info(), s.info()});
  detail::recent_plans plans;
  const auto plan = [&](const network& of, const detail::shape* in) { return plans.find(detail::spec_of(of), *in); };
  const auto first = plan(one, bare);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(plan(other, bare), first);
  EXPECT_NE(plan(one, wide), first);
  EXPECT_NE(plan(gives_k, bare), first);
  EXPECT_NE(plan(takes_k, bare), first);
  EXPECT_EQ(plan(takes_k, shape_of({n.info()})), nullptr) << "it lacks k";
  for (int i = 0; i < 20; ++i) plan(one, shape_of({n.info(), tag{"further" + std::to_string(i)}.info()}));
  const auto again = plan(other, bare);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->variants[0].only_slot, first->variants[0].only_slot);
  EXPECT_EQ(again->take[0], first->take[0]);
}

}  // namespace
}  // namespace weir::box_plan_test
