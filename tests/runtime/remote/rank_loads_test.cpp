#include "runtime/remote/rank_loads.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weir::detail::remote {
namespace {

// Lets a rank work on `count` records, of which `together` arrive at a time, for `each` seconds.
double work(rank_loads& loads, int rank, int count, int together, double each, double now) {
  for (int i = 0; i < count; i += together) {
    for (int k = 0; k < together; ++k) loads.begins(rank, now);
    now += each;
    for (int k = 0; k < together; ++k) loads.ends(rank, now);
  }
  return now;
}

TEST(loads_of_ranks, spread_new_branches_over_the_cores_while_nothing_is_measured) {
  rank_loads loads({1, 3, 0});
  std::vector<int> branches(3);
  for (int i = 0; i < 50; ++i) {
    const int rank = loads.least();
    loads.gets_branch(rank);
    ++branches[static_cast<std::size_t>(rank)];
  }
  EXPECT_EQ(branches, (std::vector<int>{10, 30, 10})) << "a rank has one core at least";
}

TEST(loads_of_ranks, give_fewer_branches_to_a_rank_that_takes_longer) {
  rank_loads loads({2, 2});
  double now = work(loads, 0, 20, 2, 0.1, 0);
  work(loads, 1, 20, 2, 0.3, now);
  int at_first = 0;
  for (int i = 0; i < 40; ++i) {
    const int rank = loads.least();
    loads.gets_branch(rank);
    at_first += static_cast<int>(rank == 0);
  }
  EXPECT_EQ(at_first, 30);
}

// Records that wait do not make a rank look slower, nor one that has more cores than records.
TEST(loads_of_ranks, measure_what_a_record_takes_of_a_core) {
  rank_loads loads({4, 4});
  work(loads, 0, 32, 1, 0.5, 0);  // one core at a time
  EXPECT_DOUBLE_EQ(loads.expected(0, 1), 0.5);
  EXPECT_DOUBLE_EQ(loads.expected(0, 40), 5);
  work(loads, 1, 32, 16, 2.0, 100);  // 16 records in 2 s by four cores
  EXPECT_DOUBLE_EQ(loads.expected(1, 1), 0.5);
}

TEST(loads_of_ranks, follow_a_rank_that_changes) {
  rank_loads loads({1});
  const double now = work(loads, 0, 4096, 1, 0.001, 0);
  work(loads, 0, 4096, 1, 0.1, now);
  EXPECT_NEAR(loads.expected(0, 1), 0.1, 0.01);
}

TEST(loads_of_ranks, move_a_branch_only_where_its_records_are_over_much_sooner) {
  rank_loads loads({1, 1, 1});
  EXPECT_EQ(loads.better_than(0, 0), -1) << "nothing is under way";
  for (int i = 0; i < 12; ++i) loads.begins(0, 0);
  loads.begins(2, 0);
  EXPECT_EQ(loads.better_than(0, 2), 1);
  EXPECT_EQ(loads.better_than(0, 7), 1);
  EXPECT_EQ(loads.better_than(0, 8), -1) << "it is two thirds of what the rank has";
  EXPECT_EQ(loads.better_than(1, 1), -1);
  loads.is_lost(1);
  EXPECT_EQ(loads.better_than(0, 2), 2);
  EXPECT_NE(loads.least(), 1);
}

}  // namespace
}  // namespace weir::detail::remote
