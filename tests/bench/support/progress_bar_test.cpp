#include "bench/support/progress_bar.hpp"

#include <gtest/gtest.h>

namespace weir::command {
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

}  // namespace
}  // namespace weir::command
