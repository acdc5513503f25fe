#include "bench/weir/compare/compare_fixed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace weir::program {
namespace {

using texts = std::vector<std::string>;

TEST(all_divisions, are_all_cores_and_lanes_of_one_component_and_equal_shares) {
  const texts all = all_divisions({"a"}, 3);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()),
            (std::set<std::string>{"fixed:a=1", "fixed:a=2", "fixed:a=2x2", "fixed:a=3", "fixed:a=3x2", "fixed:a=3x3",
                                   "equal"}));
  EXPECT_EQ(all.size(), 7u);
}

TEST(all_divisions, give_one_lane_to_who_may_have_no_more) {
  const texts all = all_divisions({"a", "b"}, 2, "b");
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()),
            (std::set<std::string>{"fixed:a=1", "fixed:a=2", "fixed:a=2x2", "fixed:b=1", "fixed:b=2", "fixed:a=1,b=1",
                                   "equal"}));
}

// On two cores: one of three has a core (3), one has both in one lane or two (6), two have one each (3), or equal.
TEST(all_divisions, of_three_components_on_two_cores_are_thirteen) {
  const texts all = all_divisions({"a", "b", "c"}, 2);
  EXPECT_EQ(all.size(), 13u);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 13u);
  EXPECT_NE(std::find(all.begin(), all.end(), "fixed:a=1,c=1"), all.end());
  EXPECT_NE(std::find(all.begin(), all.end(), "fixed:b=2x2"), all.end());
}

TEST(all_divisions, are_none_when_they_are_many) { EXPECT_TRUE(all_divisions({"a", "b", "c"}, 48).empty()); }

TEST(best_division, gives_the_cores_to_who_is_slowest_without) {
  const auto seconds = [](std::size_t, std::size_t i, int p) { return (i == 0 ? 1.0 : 5.0) / p; };
  EXPECT_EQ(best_division({"a", "b"}, 6, 1, seconds), texts{"fixed:a=1,b=5"});
  EXPECT_EQ(best_division({"a", "b"}, 2, 1, seconds), texts{"fixed:a=1,b=1"});
}

// The phases add up: the gain of a long first phase outweighs the loss of the second.
TEST(best_division, is_that_of_all_phases_together) {
  const auto seconds = [](std::size_t phase, std::size_t i, int p) {
    const double long_phase = i == 0 ? 12 : 1, short_phase = i == 0 ? 1 : 3;
    return (phase == 0 ? long_phase : short_phase) / p;
  };
  // a=1: 12 + 0.75, a=2: 6 + 1, a=3: 4 + 1.5, a=4: 3 + 3
  EXPECT_EQ(best_division({"a", "b"}, 5, 2, seconds), texts{"fixed:a=3,b=2"});
}

TEST(best_division, is_none_when_there_is_not_a_core_for_each_or_too_much_to_try) {
  const auto seconds = [](std::size_t, std::size_t, int p) { return 1.0 / p; };
  EXPECT_TRUE(best_division({"a", "b", "c"}, 2, 1, seconds).empty());
  EXPECT_TRUE(best_division({"a", "b", "c", "d", "e", "f"}, 1000, 1, seconds).empty());
}

}  // namespace
}  // namespace weir::program
