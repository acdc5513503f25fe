#include "runtime/placed/branch_ranks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <vector>

// Which rank runs a branch, by its tag's value and by load, and when it moves.
namespace weir::detail {
namespace {

// At home 0, with one core for each rank: a record takes a second at rank 1, a hundredth at the others.
struct a_slow_rank {
  explicit a_slow_rank(int home = 0, bool can_move = true) : ranks(home, {1, 1, 1}, true, can_move) {
    for (const int rank : {0, 1, 2})
      for (int i = 0; i < 20; ++i) {
        ranks.begin_at(rank, now);
        ranks.end_at(rank, now += rank == 1 ? 1 : 0.01);
      }
  }
  double now = 0;
  branch_ranks ranks;
};

TEST(branch_ranks, go_by_the_value_and_to_the_next_rank_that_is_not_lost) {
  branch_ranks ranks(0, {1, 1, 1, 1}, false, true);
  EXPECT_FALSE(ranks.are_by_load());
  EXPECT_EQ(ranks.by_value(6), 2);
  EXPECT_EQ(ranks.by_value(-1), 3);
  ranks.lose(2);
  ranks.lose(3);
  EXPECT_EQ(ranks.by_value(6), 2) << "the branch is that of its value, whatever is lost";
  const int substitutes[] = {0, 1, 0, 0};
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(ranks.substitute_of(rank), substitutes[rank]);
}

TEST(branch_ranks, spread_new_branches_over_the_cores) {
  branch_ranks ranks(0, {1, 3}, true, true);
  std::map<int, int> branches;
  for (int i = 0; i < 40; ++i) ++branches[ranks.place_new()];
  EXPECT_EQ(branches, (std::map<int, int>{{0, 10}, {1, 30}}));
  ranks.lose(1);
  EXPECT_EQ(ranks.place_new(), 0);
}

TEST(branch_ranks, move_a_branch_once_none_of_its_records_is_under_way) {
  a_slow_rank of(2);
  branch_ranks::branch b{1};
  of.ranks.begin(b, 1, of.now);
  of.ranks.begin(b, 1, of.now);
  EXPECT_FALSE(of.ranks.may_join(b, 1)) << "it is to move";
  EXPECT_EQ(of.ranks.rank_for(b), std::nullopt);
  EXPECT_TRUE(of.ranks.makes_wait());
  EXPECT_FALSE(of.ranks.end(b, 1, of.now));
  EXPECT_TRUE(of.ranks.end(b, 1, of.now)) << "others wait for this";
  EXPECT_FALSE(of.ranks.makes_wait());
  EXPECT_EQ(of.ranks.rank_for(b), 0);
  EXPECT_EQ(b.rank, 0);
  EXPECT_TRUE(of.ranks.may_join(b, 0));
}

TEST(branch_ranks, leave_a_branch_where_it_has_state_or_was_lost) {
  a_slow_rank with_state(2, false);
  branch_ranks::branch b{1};
  with_state.ranks.begin(b, 1, with_state.now);
  EXPECT_EQ(with_state.ranks.rank_for(b), 1);
  EXPECT_EQ(with_state.ranks.place_again(b, true), 1);

  a_slow_rank lost(2);
  branch_ranks::branch of_lost{1};
  lost.ranks.begin(of_lost, 1, lost.now);
  lost.ranks.lose(1);
  EXPECT_EQ(lost.ranks.rank_for(of_lost), 2) << "its substitute";
  EXPECT_EQ(of_lost.rank, 1);
}

TEST(branch_ranks, never_move_a_branch_home_past_records_that_wait_for_the_call) {
  branch_ranks ranks(0, {100, 1}, true, true);
  branch_ranks::branch b{1};
  for (int i = 0; i < 50; ++i) ranks.begin(b, 1, i);
  EXPECT_EQ(ranks.rank_for(b), 1);
  EXPECT_EQ(ranks.place_again(b, false), 1) << "other records are in it";
  EXPECT_EQ(ranks.place_again(b, true), 0);
}

TEST(branch_ranks, never_send_a_record_to_another_rank_than_those_of_its_branch_under_way) {
  std::mt19937 random(1);
  branch_ranks ranks(0, {1, 2, 1, 4}, true, true);
  std::vector<branch_ranks::branch> branches;
  for (int i = 0; i < 8; ++i) branches.push_back({ranks.place_new()});
  struct under_way {
    branch_ranks::branch* of;
    int rank;
  };
  std::vector<under_way> all;
  int moved = 0;
  double now = 0;
  for (int i = 0; i < 20'000; ++i) {
    now += 0.001 * static_cast<double>(random() % 10);
    if (!all.empty() && random() % 2 == 0) {
      std::swap(all[random() % all.size()], all.back());
      if (all.back().rank == i / 500 % 4 && random() % 8 != 0) continue;  // one rank at a time is slow
      ranks.end(*all.back().of, all.back().rank, now);
      all.pop_back();
      continue;
    }
    branch_ranks::branch& b = branches[random() % branches.size()];
    const int before = b.rank;
    const std::optional<int> rank = ranks.rank_for(b);
    if (!rank) continue;
    moved += *rank != before;
    for (const under_way& other : all) ASSERT_TRUE(other.of != &b || other.rank == *rank) << "step " << i;
    ranks.begin(b, *rank, now);
    all.push_back({&b, *rank});
  }
  EXPECT_GT(moved, 10);
}

}  // namespace
}  // namespace weir::detail
