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

}  // namespace
}  // namespace weir::detail
