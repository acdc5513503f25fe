#include "runtime/options/run_plan.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace weir::testing {
namespace {

TEST(run_plan, resolves_0_to_automatic_bounds_and_any_number) {
  const detail::run_plan plan = detail::plan_of({});
  EXPECT_TRUE(plan.streams.is_automatic);
  EXPECT_TRUE(plan.results.is_automatic);
  EXPECT_EQ(plan.streams.records, 1024u);
  EXPECT_EQ(plan.results.records, plan.streams.records);
  EXPECT_EQ(plan.settings.max_depth, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(plan.settings.max_branches, std::numeric_limits<std::size_t>::max());
}

// Results are bounded by force only by a number of their own: a capacity of streams says how many, not that.
TEST(run_plan, keeps_the_numbers_that_the_user_names) {
  options o;
  o.capacity = 7;
  detail::run_plan plan = detail::plan_of(o, 3);
  EXPECT_FALSE(plan.streams.is_automatic);
  EXPECT_EQ(plan.streams.records, 7u);
  EXPECT_TRUE(plan.results.is_automatic);
  EXPECT_EQ(plan.results.records, 7u);
  EXPECT_EQ(plan.settings.rank, 3);
  o.results_capacity = 5;
  o.max_depth = 9;
  plan = detail::plan_of(o);
  EXPECT_FALSE(plan.results.is_automatic);
  EXPECT_EQ(plan.results.records, 5u);
  EXPECT_EQ(plan.settings.max_depth, 9);
}

}  // namespace
}  // namespace weir::testing
