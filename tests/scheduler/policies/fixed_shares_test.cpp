#include <weir/scheduler/policies/fixed_shares.hpp>

#include <gtest/gtest.h>

#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

using namespace testing;

system_view squares(int cores) {
  return view_of(cores, {unobserved("generate"), unobserved("multiply"), unobserved("print")});
}

std::string decided(const policy& rule, const system_view& view) {
  const allotment given = rule.decide(view);
  EXPECT_EQ(check(given, view.cores), "");
  return to_string(given, names_of(view));
}

TEST(fixed_shares, gives_what_is_written_and_the_rest_to_the_shared_group) {
  EXPECT_EQ(decided(fixed_shares{{"multiply", 6}, {"generate", 1}}, squares(8)),
            "generate 1 core x 1 lane {0}, multiply 6 cores x 1 lane {1-6}, shared {7} (print)");
  EXPECT_EQ(decided(fixed_shares{{"multiply", 6, 2}}, squares(8)),
            "multiply 6 cores x 2 lanes {0-5}, shared {6-7} (generate, print)");
}

TEST(fixed_shares, from_shares_that_are_known_at_run_time_only_are_the_same_rule) {
  std::vector<fixed_share> shares;
  EXPECT_EQ(decided(fixed_shares(shares), squares(2)), "shared {0-1} (generate, multiply, print)");
  shares.push_back({"multiply", 6, 2});
  EXPECT_EQ(decided(fixed_shares(shares), squares(8)), decided(fixed_shares{{"multiply", 6, 2}}, squares(8)));
  shares.push_back({"print", 1});
  EXPECT_EQ(decided(fixed_shares(shares), squares(8)),
            "multiply 6 cores x 2 lanes {0-5}, print 1 core x 1 lane {6}, shared {7} (generate)");
  shares.push_back({"print", 1, 2});
  EXPECT_EQ(refusal([&] { fixed_shares{shares}; }), "fixed_shares: \"print\" is listed twice");
  shares.erase(shares.begin() + 1);
  EXPECT_EQ(refusal([&] { fixed_shares{shares}; }), "fixed_shares: \"print\" is given 2 lanes on 1 core");
}

TEST(fixed_shares, with_no_core_left_the_shared_group_lies_on_the_largest_owner) {
  EXPECT_EQ(decided(fixed_shares{{"multiply", 6}, {"generate", 2}}, squares(8)),
            "generate 2 cores x 1 lane {0-1}, multiply 6 cores x 1 lane {2-7}, shared {2} (print)");
}

TEST(fixed_shares, with_all_named_there_is_no_shared_group) {
  EXPECT_EQ(decided(fixed_shares{{"multiply", 1}, {"generate", 1}, {"print", 1}}, squares(8)),
            "generate 1 core x 1 lane {0}, multiply 1 core x 1 lane {1}, print 1 core x 1 lane {2}");
}

TEST(fixed_shares, mistakes_are_named_with_what_was_given_and_what_there_is) {
  EXPECT_EQ(refusal([] { fixed_shares{{"a", 0}}; }), "fixed_shares: \"a\" is given 0 cores; the least is 1");
  EXPECT_EQ(refusal([] { fixed_shares{{"a", 1, 0}}; }), "fixed_shares: \"a\" is given 0 lanes; the least is 1");
  EXPECT_EQ(refusal([] { fixed_shares{{"a", 1, 2}}; }), "fixed_shares: \"a\" is given 2 lanes on 1 core");
  EXPECT_EQ(refusal([] { fixed_shares{{"a", 1}, {"a", 2}}; }), "fixed_shares: \"a\" is listed twice");
  EXPECT_EQ(refusal([] {
              fixed_shares{{"multply", 1}}.decide(squares(8));
            }),
            "fixed_shares: there is no component \"multply\"; there are: generate, multiply, print");
  EXPECT_EQ(refusal([] {
              fixed_shares{{"multiply", 8}, {"print", 2}}.decide(squares(8));
            }),
            "fixed_shares: 10 cores are given away and there are 8");
  system_view bounded = squares(8);
  bounded.components[1].min_cores = 2;
  bounded.components[1].max_cores = 4;
  bounded.components[1].max_width = 1;
  EXPECT_EQ(refusal([&] {
              fixed_shares{{"multiply", 5}}.decide(bounded);
            }),
            "fixed_shares: \"multiply\" may have 4 cores and is given 5");
  EXPECT_EQ(refusal([&] {
              fixed_shares{{"multiply", 1}}.decide(bounded);
            }),
            "fixed_shares: \"multiply\" needs 2 cores and is given 1");
  EXPECT_EQ(refusal([&] {
              fixed_shares{{"multiply", 4, 2}}.decide(bounded);
            }),
            "fixed_shares: \"multiply\" may have 1 lane and is given 2");
}

}  // namespace
}  // namespace weir
