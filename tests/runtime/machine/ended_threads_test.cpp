#include "runtime/machine/ended_threads.hpp"

#include <gtest/gtest.h>

namespace weir::detail {
namespace {

TEST(ended_threads, have_what_their_process_has_beyond_the_living) {
  ended_threads ended;
  EXPECT_EQ(ended.take(3, 2), 1);
  EXPECT_EQ(ended.take(3, 0), 0);
  EXPECT_EQ(ended.take(8, 4), 1);
}

// The reading thread waits for its core between the clock of the process and those of its threads.
TEST(ended_threads, have_nothing_of_what_the_living_compute_while_they_are_read) {
  ended_threads ended;
  EXPECT_EQ(ended.take(1, 1.5), 0);
  EXPECT_EQ(ended.take(3, 1.5), 0) << "the one thread had 1.5 seconds more, the process 2";
  EXPECT_EQ(ended.take(5, 1), 1) << "a second one computed as well";
}

// A thread of 8 seconds is counted no longer by the process, and is still among the living.
TEST(ended_threads, make_up_for_no_error_of_a_reading_but_the_last) {
  ended_threads ended;
  EXPECT_EQ(ended.take(10, 10), 0);
  EXPECT_EQ(ended.take(11 - 8, 0), 0);
  EXPECT_EQ(ended.take(12 - 8, 1), 0);
  EXPECT_EQ(ended.take(14 - 8, 1), 1) << "the others had 2 seconds, the living 1";
}

}  // namespace
}  // namespace weir::detail
