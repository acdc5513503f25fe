#include "scheduler/place/placing_cost.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "tests/scheduler/place/counted_places.hpp"
#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

using namespace testing;

TEST(placing_cost, counts_steps_cores_lanes_and_shares_in_between) {
  system_view view =
      testing::view_of(8, {testing::unobserved("a"), testing::unobserved("b"), testing::unobserved("c")});
  view.machine = std::make_shared<const topology>(topology::synthetic("package:2 core:4 pu:1"));
  view.current.components = {{core_set{0, 1, 2, 3}, 2}, {core_set{4, 5}, 1}, {core_set{6, 7}, 1}};
  EXPECT_EQ(cost_of_places(view.current, view).total(), 0);

  allotment given;
  given.components = {{core_set{0, 1, 2, 3}, 1}, {core_set{6, 7}, 1}, {core_set{4, 5}, 1}};
  counted_places cost = cost_of_places(given, view);
  EXPECT_EQ(cost.crossings, 0);
  EXPECT_EQ(cost.handed_over, 4) << "the second and the third changed places";
  EXPECT_EQ(cost.regrouped, 4) << "two lanes became one";
  EXPECT_EQ(cost.apart, 1) << "the third lies between the first and the second";
  EXPECT_EQ(cost.total(), 4 * 4 + 4 * 2 + 1);

  given.components = {{core_set{2, 3, 4, 5}, 2}, {core_set{6, 7}, 1}, {core_set{0, 1}, 1}};
  cost = cost_of_places(given, view);
  EXPECT_EQ(cost.crossings, 2) << "an L3 and a package";
  EXPECT_EQ(cost.lane_crossings, 0) << "between the two lanes";
  EXPECT_EQ(cost.handed_over, 6);
  EXPECT_EQ(cost.regrouped, 0) << "cores 2 and 3 were a lane before";
  EXPECT_EQ(cost.apart, 1) << "the first lies between the second and the third";

  given.components[0].width = 1;
  EXPECT_EQ(cost_of_places(given, view).lane_crossings, 2);
  EXPECT_EQ(cost_of_places(given, view).regrouped, 2);
}

}  // namespace
}  // namespace weir
