#include "scheduler/placement.hpp"

#include <gtest/gtest.h>

#include "views.hpp"

namespace weir {
namespace {

using testing::cores_of;
using testing::view_of;

system_view three(int cores) {
  return view_of(cores, {testing::unobserved("a"), testing::unobserved("b"), testing::unobserved("c")});
}

TEST(placement, deals_neighbours_in_network_order_and_the_shared_group_last) {
  const allotment given = place({{{3, 1}, {0, 1}, {2, 2}}, 2, -1}, three(8));
  EXPECT_EQ(to_string(given, {"a", "b", "c"}), "a 3 cores x 1 lane {0-2}, c 2 cores x 2 lanes {3-4}, shared {5-6} (b)");
}

TEST(placement, a_group_without_cores_lies_on_the_first_core_of_its_host) {
  EXPECT_EQ(place({{{3, 1}, {0, 1}, {5, 1}}, 0, 2}, three(8)).shared, core_set{3});
}

TEST(placement, uses_only_the_cores_of_the_run_in_their_order) {
  system_view view = three(16);
  view.cores = {2, 3, 7, 8, 11};
  const allotment given = place({{{2, 1}, {1, 1}, {0, 1}}, 2, -1}, view);
  EXPECT_EQ(given.components[0].cores, core_set({2, 3}));
  EXPECT_EQ(given.components[1].cores, core_set{7});
  EXPECT_EQ(given.shared, core_set({8, 11}));
  EXPECT_EQ(check(given, view.cores), "");
}

TEST(placement, who_needs_as_many_cores_as_before_keeps_them_while_the_others_find_room) {
  system_view view = three(8);
  view.current = place({{{4, 1}, {2, 1}, {2, 1}}, 0, -1}, view);
  const allotment less = place({{{3, 1}, {2, 1}, {2, 1}}, 0, -1}, view);
  EXPECT_EQ(cores_of(less), (std::vector<int>{3, 2, 2}));
  EXPECT_EQ(less.components[1], view.current.components[1]);
  EXPECT_EQ(less.components[2], view.current.components[2]);
  const allotment swapped = place({{{3, 1}, {3, 1}, {2, 1}}, 0, -1}, view);
  EXPECT_EQ(swapped.components[2], view.current.components[2]);
}

TEST(placement, of_any_counts_after_any_other_counts_passes_the_check) {
  std::mt19937 random(2);
  system_view view = three(12);
  for (int trial = 0; trial < 5000; ++trial) {
    core_counts counts;
    int left = 12;
    bool members = false;
    for (int i = 0; i < 3; ++i) {
      const int cores = std::min(left, static_cast<int>(random() % 7));
      counts.components.push_back({cores, 1});
      left -= cores;
      members = members || cores == 0;
    }
    if (members && left > 0)
      counts.shared = 1 + static_cast<int>(random() % static_cast<unsigned>(left));
    else if (members)
      counts.host = largest_owner(counts);
    const allotment given = place(counts, view);
    ASSERT_EQ(check(given, view.cores), "");
    for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(given.components[i].cores.size(), counts.components[i].cores);
    ASSERT_EQ(place(counts, view), given);
    view.current = given;
    ASSERT_EQ(place(counts, view), given) << "the same counts must not move anybody";
  }
}

}  // namespace
}  // namespace weir
