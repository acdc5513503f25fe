#include "bench/support/progress_bar.hpp"

#include <gtest/gtest.h>

namespace weir::program {
namespace {

TEST(remaining_text, is_the_time_that_the_rest_takes_if_it_goes_on_as_before) {
  EXPECT_EQ(remaining_text(10, 1, 3), "done in 20 s");
  EXPECT_EQ(remaining_text(10, 1, 14), "done in 2 min 10 s");
  EXPECT_EQ(remaining_text(3600, 1, 3), "done in 2 h 0 min");
  EXPECT_EQ(remaining_text(10, 3, 3), "done in 0 s");
  EXPECT_EQ(remaining_text(10, 4, 3), "done in 0 s") << "more may come than was expected";
}

TEST(remaining_text, is_empty_while_it_would_say_nothing) {
  EXPECT_EQ(remaining_text(0.5, 1, 3), "");
  EXPECT_EQ(remaining_text(10, 0, 3), "");
}

// Where no line can be drawn anew, each says all.
TEST(progress_text, says_what_goes_on_how_much_is_done_and_when_it_ends) {
  EXPECT_EQ(progress_text("adaptive, round 2 of 3", 10, 1, 3), "adaptive, round 2 of 3: 33 %, done in 20 s\n");
  EXPECT_EQ(progress_text("", 0.5, 0, 3), "0 %\n");
  EXPECT_EQ(progress_text("7 results", 10, 7, 0), "7 results\n") << "of a number that is not known";
  EXPECT_EQ(progress_text("", 10, 4, 3), "100 %, done in 0 s\n") << "more may come than was expected";
}

}  // namespace
}  // namespace weir::program
