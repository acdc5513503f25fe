#include <weir/scheduler/view/allotment.hpp>

#include <gtest/gtest.h>

namespace weir {
namespace {

const core_set four = core_set::range(0, 4);

TEST(allotment, check_accepts_disjoint_owners_with_a_shared_group_beside_them_or_on_one_owners_core) {
  EXPECT_EQ(check({{{{0, 1}, 1}, {{2, 3}, 2}}, {}}, four), "");
  EXPECT_EQ(check({{{{0, 1}, 1}, {}}, {2, 3}}, four), "");
  EXPECT_EQ(check({{{{0, 1, 2, 3}, 1}, {}}, {0}}, four), "");
  EXPECT_EQ(check({{{}, {}}, {0, 1, 2, 3}}, four), "");
}

// share::width means nothing there: a group has as many lanes as cores.
TEST(allotment, check_accepts_any_number_of_lanes_of_a_member_of_the_shared_group) {
  for (const int lanes : {-1, 0, 100}) EXPECT_EQ(check({{{{0, 1}, 1}, {{}, lanes}}, {2, 3}}, four), "") << lanes;
  EXPECT_EQ(check({{{{}, 0, true}}, {}}, four), "component 0 has 0 lanes");
}

TEST(allotment, check_says_in_one_sentence_what_is_wrong) {
  EXPECT_EQ(check({{{{0, 1}, 1}, {{1, 2}, 1}}, {}}, four), "core 1 belongs to components 0 and 1");
  EXPECT_EQ(check({{{{0, 9}, 1}}, {}}, four), "component 0 has core 9, which is not among 0-3");
  EXPECT_EQ(check({{{{0}, 2}}, {}}, four), "component 0 has 2 lanes on 1 core");
  EXPECT_EQ(check({{{{0}, 0}}, {}}, four), "component 0 has 0 lanes");
  EXPECT_EQ(check({{{{0}, 1}, {}}, {}}, four), "the shared group has members and no core");
  EXPECT_EQ(check({{{{0, 1}, 1}, {}}, {0, 2}}, four),
            "the shared group has 2 cores and core 0 of them belongs to component 0");
  EXPECT_EQ(check({{{{0}, 1}, {}}, {7}}, four), "the shared group has core 7, which is not among 0-3");
}

TEST(allotment, knows_on_whose_core_the_shared_group_lies) {
  EXPECT_EQ((allotment{{{{0, 1}, 1}, {}, {{2}, 1}}, {2}}.shared_host()), 2);
  EXPECT_EQ((allotment{{{{0, 1}, 1}, {}}, {2}}.shared_host()), -1);
  EXPECT_EQ((allotment{{{{0, 1}, 1}}, {}}.shared_host()), -1);
}

TEST(allotment, prints_owners_in_network_order_and_then_the_shared_group) {
  EXPECT_EQ(to_string({{{}, {{0, 1}, 1}}, {0}}, {"generate", "multiply"}),
            "multiply 2 cores x 1 lane {0-1}, shared {0} (generate)");
  EXPECT_EQ(to_string({{{}, {}}, {0, 1}}, {"a", "b"}), "shared {0-1} (a, b)");
  EXPECT_EQ(to_string({{{{0}, 1}, {{1, 2, 3}, 3}}, {}}, {"a", "b"}),
            "a 1 core x 1 lane {0}, b 3 cores x 3 lanes {1-3}");
  EXPECT_EQ(to_string({}, {}), "nothing");
}

}  // namespace
}  // namespace weir
