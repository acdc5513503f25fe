#include "runtime/placed/held_results.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

// Results of calls that may move leave when their calls are done, in the order in which they arrived.
namespace weir::detail {
namespace {

TEST(held_results, leave_in_their_order_once_their_calls_and_those_before_are_done) {
  std::mt19937 random(1);
  owned_body body(make_body(shape::empty()));
  for (int round = 0; round < 300; ++round) {
    open_calls calls;
    held_results held;
    std::vector<std::uint64_t> not_done;
    std::deque<std::uint64_t> oracle;  // the calls of results, as they arrived
    for (int i = 0; i < 10; ++i) not_done.push_back(calls.open({.kept = body.get()}));
    while (!not_done.empty()) {
      std::swap(not_done[random() % not_done.size()], not_done.back());
      if (random() % 2 == 0) {
        held.hold(3, not_done.back(), body.get(), calls);
        oracle.push_back(not_done.back());
        continue;
      }
      calls.at(not_done.back()).says_done = true;
      not_done.pop_back();
      for (const held_results::result& r : held.release(3, calls)) {
        ASSERT_EQ(r.call, oracle.front());
        ASSERT_TRUE(calls.at(r.call).says_done);
        oracle.pop_front();
      }
      ASSERT_TRUE(oracle.empty() || !calls.at(oracle.front()).says_done) << "one more may leave";
    }
    EXPECT_TRUE(oracle.empty());
  }
}

TEST(held_results, of_a_lost_rank_are_dropped_and_no_others) {
  owned_body body(make_body(shape::empty()));
  open_calls calls;
  held_results held;
  const std::uint64_t at_1 = calls.open({.kept = body.get()}), at_2 = calls.open({.kept = body.get()});
  held.hold(1, at_1, body.get(), calls);
  held.hold(1, at_1, body.get(), calls);
  held.hold(2, at_2, body.get(), calls);
  EXPECT_EQ(held.drop(1, calls).size(), 2u);
  EXPECT_EQ(calls.at(at_1).results, 0u);
  calls.at(at_2).says_done = true;
  EXPECT_EQ(held.release(2, calls).size(), 1u);
  EXPECT_FALSE(held.drop_all());
}

}  // namespace
}  // namespace weir::detail
