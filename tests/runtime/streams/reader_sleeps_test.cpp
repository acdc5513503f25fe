#include "runtime/streams/reader_sleeps.hpp"

#include <gtest/gtest.h>

namespace weir::detail {
namespace {

// Waits until the next sleep, which brings this number of results. Returns the number of waits before it.
int waits_before_a_sleep(reader_sleeps& n, std::size_t results) {
  int waits = 0;
  while (!n.take()) {
    n.brought(1);
    ++waits;
  }
  n.brought(results);
  return waits;
}

TEST(reader_sleeps, follow_each_other_while_several_results_come_with_each) {
  reader_sleeps n;
  EXPECT_EQ(waits_before_a_sleep(n, 4), 32) << "a short run has none";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(waits_before_a_sleep(n, 4), 0);
}

TEST(reader_sleeps, become_seldom_where_few_results_come_and_start_anew_where_many_do) {
  reader_sleeps n;
  waits_before_a_sleep(n, 3);
  for (int waits = 32; waits < 4096; waits *= 2) EXPECT_EQ(waits_before_a_sleep(n, 3), waits);
  EXPECT_EQ(waits_before_a_sleep(n, 3), 4096);
  EXPECT_EQ(waits_before_a_sleep(n, 4), 4096);
  EXPECT_EQ(waits_before_a_sleep(n, 3), 0);
  EXPECT_EQ(waits_before_a_sleep(n, 4), 32);
}

}  // namespace
}  // namespace weir::detail
