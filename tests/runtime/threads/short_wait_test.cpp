#include "runtime/threads/short_wait.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "runtime/threads/yield_limit.hpp"

namespace weir::testing::short_wait_test {
namespace {

using detail::short_wait;
using detail::short_waits;
using detail::yield_limit;

// Waits for an event that never happens. Returns the number of moments waited.
int in_vain(short_waits& here) {
  short_wait wait(here);
  int moments = 0;
  while (wait.goes_on()) ++moments;
  EXPECT_FALSE(wait.goes_on()) << "it is over, and stays so";
  return moments;
}

// A thread that waits for something that never comes goes to sleep soon, whatever else runs on its core.
TEST(a_short_wait, ends_after_some_moments) {
  short_waits here;
  const int moments = in_vain(here);
  EXPECT_GE(moments, 16) << "a thread on another core gets the time to bring it";
  EXPECT_LE(moments, 128);
}

TEST(a_short_wait, is_seldom_tried_where_it_was_in_vain) {
  short_waits here;
  for (int i = 0; i < 4; ++i) EXPECT_GT(in_vain(here), 0);
  int tried = 0;
  for (int i = 0; i < 70; ++i) tried += in_vain(here) > 0;
  EXPECT_EQ(tried, 10) << "one in seven";
}

TEST(a_short_wait, is_tried_each_time_again_after_it_was_not_in_vain) {
  short_waits here;
  for (int i = 0; i < 7; ++i) in_vain(here);
  {
    short_wait wait(here);
    ASSERT_TRUE(wait.goes_on()) << "the one in seven";
    wait.arrived();
  }
  for (int i = 0; i < 4; ++i) EXPECT_GT(in_vain(here), 0);
}

// The next record was there already, so nothing is known about whether waiting pays.
TEST(a_short_wait, that_did_not_have_to_wait_counts_for_nothing) {
  short_waits here;
  for (int i = 0; i < 4; ++i) in_vain(here);
  short_wait wait(here);
  wait.arrived();
  EXPECT_EQ(in_vain(here), 0);
}

class a_yield_limit : public ::testing::Test {
 protected:
  // A yield of that many nanoseconds, if it is allowed.
  bool yields(std::int64_t nanoseconds) {
    if (!limit.allows(now)) return false;
    const std::int64_t began = now;
    limit.note(began, now += nanoseconds);
    return true;
  }
  // The time in nanoseconds until yields are allowed again.
  std::int64_t barred() const {
    std::int64_t length = 0;
    while (!limit.allows(now + length)) length += 1'000'000;
    return length;
  }

  yield_limit limit;
  std::int64_t now = 1'000'000'000'000;
};

TEST_F(a_yield_limit, lets_threads_yield_while_that_is_short) {
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(yields(yield_limit::long_yield - 1));
}

TEST_F(a_yield_limit, bars_yields_after_a_long_one_and_twice_as_long_each_time) {
  for (std::int64_t length = yield_limit::least; length < yield_limit::most; length *= 2) {
    ASSERT_TRUE(yields(4'000'000));
    EXPECT_EQ(barred(), length);
    EXPECT_FALSE(yields(300));
    now += length;
    EXPECT_TRUE(yields(300)) << "over now";
  }
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(yields(4'000'000));
    EXPECT_EQ(barred(), yield_limit::most);
    now += yield_limit::most;
  }
}

TEST_F(a_yield_limit, forgets_when_the_core_was_free_for_as_long) {
  ASSERT_TRUE(yields(4'000'000));
  now += yield_limit::least;
  ASSERT_TRUE(yields(4'000'000));
  EXPECT_EQ(barred(), 2 * yield_limit::least);
  now += 4 * yield_limit::least;
  ASSERT_TRUE(yields(4'000'000));
  EXPECT_EQ(barred(), yield_limit::least);
}

// Threads that yielded at the same time, each to something else that computes.
TEST_F(a_yield_limit, counts_long_yields_at_the_same_time_as_one) {
  const std::int64_t began = now;
  now += 4'000'000;
  for (int i = 0; i < 8; ++i) limit.note(began, now);
  EXPECT_EQ(barred(), yield_limit::least);
}

}  // namespace
}  // namespace weir::testing::short_wait_test
