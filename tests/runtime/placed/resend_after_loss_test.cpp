#include "runtime/placed/resend_after_loss.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

// New calls wait while those of a lost rank are sent again.
namespace weir::detail {
namespace {

TEST(resending, waits_for_threads_that_send_and_keeps_others_back) {
  resend_after_loss gate;
  EXPECT_TRUE(gate.begin_sending());
  EXPECT_TRUE(gate.begin_sending());
  EXPECT_FALSE(gate.rank_lost()) << "two threads send";
  EXPECT_TRUE(gate.is_due());
  EXPECT_FALSE(gate.begin_sending());
  EXPECT_FALSE(gate.end_sending());
  EXPECT_TRUE(gate.end_sending()) << "the last one resends";
  EXPECT_FALSE(gate.begin_sending());
  EXPECT_TRUE(gate.resent());
  EXPECT_TRUE(gate.begin_sending());
  EXPECT_FALSE(gate.end_sending());
  EXPECT_TRUE(gate.rank_lost()) << "no thread sends";
}

TEST(resending, is_done_by_one_thread_which_also_serves_ranks_that_are_lost_meanwhile) {
  resend_after_loss gate;
  EXPECT_TRUE(gate.rank_lost());
  EXPECT_FALSE(gate.is_behind());
  EXPECT_FALSE(gate.rank_lost()) << "the first thread resends";
  EXPECT_TRUE(gate.is_behind()) << "later calls of the plan would overtake those that went to the second rank";
  EXPECT_FALSE(gate.resent()) << "it has planned without the second rank";
  EXPECT_TRUE(gate.is_due());
  EXPECT_FALSE(gate.rank_lost());
  EXPECT_FALSE(gate.resent());
  EXPECT_TRUE(gate.resent());
  EXPECT_FALSE(gate.is_due());

  EXPECT_TRUE(gate.begin_sending());
  EXPECT_FALSE(gate.rank_lost());
  EXPECT_FALSE(gate.rank_lost()) << "a thread sends";
  EXPECT_TRUE(gate.end_sending());
  EXPECT_TRUE(gate.resent()) << "both were lost before";
  EXPECT_FALSE(gate.is_due());
}

TEST(resending, takes_the_calls_of_lost_ranks_in_the_order_in_which_they_were_sent) {
  open_calls calls;
  held_results results;
  branch_ranks ranks(0, {1, 1, 1}, false, true);
  branch_ranks::branch moving{1, 2, 1};
  owned_body body(make_body(shape::empty()));
  const auto open = [&](int rank) {
    return calls.open({.kept = body.get(), .whole = body.get(), .rank = rank, .branch = &moving});
  };
  const std::uint64_t over = open(1), first = open(1), elsewhere = open(2), failed = open(1);
  calls.end(over, true, true);
  const std::uint64_t last = open(1);
  EXPECT_EQ(last, over) << "the number is used again";
  calls.at(failed).has_failed = true;
  results.hold(1, first, body.get(), calls);
  results.hold(2, elsewhere, body.get(), calls);

  ranks.lose(1);
  const auto plan = resend_after_loss::plan_of(calls, results, ranks, {1, 2});
  EXPECT_EQ(plan.again, (std::vector<std::uint64_t>{first, last}));
  EXPECT_EQ(plan.failed, (std::vector<std::pair<int, std::uint64_t>>{{1, failed}}));
  EXPECT_EQ(plan.dropped.size(), 1u);
  EXPECT_EQ(calls.at(first).results, 0u);
  EXPECT_EQ(calls.at(elsewhere).results, 1u);
  EXPECT_FALSE(moving.moves_to);
}

}  // namespace
}  // namespace weir::detail
