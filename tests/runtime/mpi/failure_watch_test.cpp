#include "runtime/mpi/failure_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace weir::detail::mpi {
namespace {

using namespace std::chrono_literals;

// A watch of four ranks by rank 1, on a clock that the test moves by 10 ms at a time.
class a_failure_watch : public ::testing::Test {
 protected:
  struct happened {
    std::vector<int> greeted, lost;
  };
  // `heard`: says something all the time.
  happened pass(std::chrono::milliseconds time, const std::vector<int>& heard) {
    happened all;
    for (const auto end = now + time; now < end;) {
      now += 10ms;
      for (const int p : heard) watch.heard(p);
      const auto& due = watch.check(now);
      all.greeted.insert(all.greeted.end(), due.greet.begin(), due.greet.end());
      all.lost.insert(all.lost.end(), due.lost.begin(), due.lost.end());
    }
    return all;
  }
  failure_watch::time now{};
  failure_watch watch{4, 1, 2s, now};
};

TEST_F(a_failure_watch, finds_who_is_silent_for_so_long_once) {
  EXPECT_TRUE(pass(1990ms, {0, 3}).lost.empty());
  EXPECT_EQ(pass(20ms, {0, 3}).lost, std::vector{2});
  EXPECT_TRUE(pass(10s, {0, 3}).lost.empty());
}

TEST_F(a_failure_watch, gives_who_has_not_begun_more_time) {
  failure_watch of_beginners(3, 1, 2s, now, 10s);
  of_beginners.heard(0);
  std::vector<int> lost;
  const auto pass = [&](std::chrono::milliseconds time) {
    for (const auto end = now + time; now < end;) {
      now += 10ms;
      const auto& due = of_beginners.check(now);
      lost.insert(lost.end(), due.lost.begin(), due.lost.end());
    }
  };
  pass(2010ms);
  EXPECT_EQ(lost, std::vector{0}) << "it has begun";
  pass(9980ms);
  EXPECT_EQ(lost, std::vector{0});
  pass(20ms);
  EXPECT_EQ(lost, (std::vector{0, 2}));
}

TEST_F(a_failure_watch, begins_anew_when_something_is_heard) {
  pass(1900ms, {0, 3});
  watch.heard(2);
  EXPECT_TRUE(pass(1900ms, {0, 3}).lost.empty());
}

TEST_F(a_failure_watch, greets_each_peer_five_times_in_that_time) {
  const auto greeted = pass(2s, {0, 2, 3}).greeted;
  for (const int p : {0, 2, 3}) EXPECT_EQ(std::count(greeted.begin(), greeted.end(), p), 5);
  EXPECT_EQ(greeted.size(), 15u);
}

TEST_F(a_failure_watch, greets_nobody_to_whom_something_was_said) {
  std::vector<int> greeted;
  for (int i = 0; i < 20; ++i) {
    watch.said(0);
    const auto some = pass(100ms, {0, 2, 3}).greeted;
    greeted.insert(greeted.end(), some.begin(), some.end());
  }
  EXPECT_EQ(std::count(greeted.begin(), greeted.end(), 0), 0);
}

TEST_F(a_failure_watch, does_not_blame_others_for_its_own_sleep) {
  now += 1h;
  EXPECT_TRUE(watch.check(now).lost.empty());
  EXPECT_TRUE(pass(200ms, {}).lost.empty());
  for (const int p : {0, 2}) watch.heard(p);
  EXPECT_EQ(pass(100ms, {}).lost, std::vector{3});
}

TEST_F(a_failure_watch, finds_who_is_silent_although_it_seldom_has_a_core) {
  std::vector<int> lost;
  for (int i = 0; i < 2; ++i) {
    now += 1s;
    for (const int p : {0, 3}) watch.heard(p);
    const auto& due = watch.check(now);
    lost.insert(lost.end(), due.lost.begin(), due.lost.end());
  }
  EXPECT_EQ(lost, std::vector{2});
}

TEST_F(a_failure_watch, does_not_look_at_who_is_ignored) {
  watch.ignore(0);
  const auto all = pass(10s, {2, 3});
  EXPECT_TRUE(all.lost.empty());
  EXPECT_EQ(std::count(all.greeted.begin(), all.greeted.end(), 0), 0);
}

}  // namespace
}  // namespace weir::detail::mpi
