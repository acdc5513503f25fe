#include "runtime/placed/route_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "runtime/remote/rank_message.hpp"

// The ends of a call's parts arrive in any order: the call is complete with the last of them.
namespace weir::detail {
namespace {

using part_ends = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // part, parts that it started

void divide(std::uint64_t part, int levels, std::mt19937& random, part_ends& ends) {
  const std::uint64_t started = levels > 0 ? random() % 4 : 0;
  ends.emplace_back(part, started);
  for (std::uint64_t i = 0; i < started; ++i) divide(remote::divided(part), levels - 1, random, ends);
}

TEST(route_counts, complete_a_call_with_the_last_of_its_parts_whatever_their_order) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    route_counts counts;
    part_ends all;
    std::vector<std::size_t> left(4);
    for (std::uint64_t call = 1; call <= 3; ++call) {
      part_ends ends;
      divide(call, 5, random, ends);
      left[call] = ends.size();
      all.insert(all.end(), ends.begin(), ends.end());
    }
    std::shuffle(all.begin(), all.end(), random);
    for (const auto& [part, started] : all)
      ASSERT_EQ(counts.finish_subcall(part, started), --left[remote::call_of(part)] == 0) << "round " << round;
    EXPECT_EQ(counts.calls(), 0u) << "what is complete is forgotten";
  }
}

TEST(route_counts, keep_nothing_of_a_call_that_was_not_divided) {
  route_counts counts;
  EXPECT_TRUE(counts.finish_subcall(7, 0));
  EXPECT_EQ(counts.calls(), 0u);
}

TEST(route_counts, refuse_more_parts_than_a_rank_can_start) {
  route_counts counts;
  EXPECT_THROW(counts.finish_subcall(7, std::uint64_t{1} << 32), std::runtime_error);
}

}  // namespace
}  // namespace weir::detail
