#include <weir/scheduler/policies/equal_shares.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

using namespace testing;

TEST(equal_shares, gives_everybody_floor_or_ceil_and_leaves_no_core_idle) {
  for (int cores = 1; cores <= 20; ++cores)
    for (int n = 1; n <= cores; ++n) {
      std::vector<component_view> components;
      for (int i = 0; i < n; ++i) components.push_back(unobserved(testing::numbered("c", i)));
      const system_view view = view_of(cores, components);
      const allotment given = equal_shares{}.decide(view);
      EXPECT_EQ(check(given, view.cores), "");
      int sum = 0;
      for (int c : cores_of(given)) {
        EXPECT_TRUE(c == cores / n || c == (cores + n - 1) / n);
        sum += c;
      }
      EXPECT_EQ(sum, cores);
      EXPECT_TRUE(given.shared.empty());
    }
}

TEST(equal_shares, with_more_components_than_cores_all_share_all) {
  const system_view view = view_of(2, {unobserved("a"), unobserved("b"), unobserved("c")});
  EXPECT_EQ(to_string(equal_shares{}.decide(view), names_of(view)), "shared {0-1} (a, b, c)");
}

TEST(equal_shares, what_bounds_keep_one_from_taking_goes_to_the_others) {
  system_view view = view_of(12, {unobserved("a"), unobserved("b"), unobserved("c")});
  view.components[0].max_cores = 2;
  view.components[1].min_cores = 7;
  EXPECT_EQ(cores_of(equal_shares{}.decide(view)), (std::vector<int>{2, 7, 3}));
}

TEST(equal_shares, a_sequential_component_runs_one_lane_a_core_up_to_its_width) {
  system_view view = view_of(12, {unobserved("a"), unobserved("b"), unobserved("c")});
  view.components[0].sequential = true;
  view.components[1].sequential = true;
  view.components[1].max_width = 1;
  EXPECT_EQ(to_string(equal_shares{}.decide(view), names_of(view)),
            "a 6 cores x 6 lanes {0-5}, b 1 core x 1 lane {6}, c 5 cores x 1 lane {7-11}");
}

TEST(equal_shares, who_asks_for_two_or_more_cores_owns_them_even_when_not_everybody_can) {
  system_view view = view_of(4, {unobserved("a"), unobserved("b"), unobserved("c")});
  view.components[1].min_cores = 3;
  EXPECT_EQ(to_string(equal_shares{}.decide(view), names_of(view)), "b 3 cores x 1 lane {0-2}, shared {3} (a, c)");
  view.components[1].min_cores = 4;
  EXPECT_EQ(to_string(equal_shares{}.decide(view), names_of(view)), "b 4 cores x 1 lane {0-3}, shared {0} (a, c)");
  view.components[2].min_cores = 2;
  EXPECT_EQ(testing::refusal([&] { equal_shares{}.decide(view); }),
            "components ask for 6 cores at least (\"b\" 4, \"c\" 2) and there are 4");
}

}  // namespace
}  // namespace weir
