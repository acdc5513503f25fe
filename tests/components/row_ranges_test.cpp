#include "components/row_ranges.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace components {
namespace {

// Holds for every number of rows, cores and length. The ranges follow each other from the first row to the last, none
// is empty, and they differ by at most one row. Their number is a multiple of the cores (or one per row), and none is
// longer than asked for.
TEST(row_ranges, give_every_core_the_same_work) {
  for (std::size_t rows = 0; rows <= 150; ++rows) {
    for (const std::size_t cores : {1, 2, 3, 7, 12, 48, 200}) {
      for (const std::size_t longest : {1, 16, 32, 64}) {
        const row_ranges ranges(rows, cores, longest);
        EXPECT_TRUE(ranges.size() % cores == 0 || ranges.size() == rows);
        std::size_t next = 0;
        for (std::size_t i = 0; i < ranges.size(); ++i) {
          ASSERT_EQ(ranges.begin(i), next);
          next = ranges.end(i);
          const std::size_t length = next - ranges.begin(i);
          ASSERT_GE(length, rows / ranges.size());
          ASSERT_LE(length, rows / ranges.size() + 1);
          ASSERT_GE(length, 1u);
          ASSERT_LE(length, longest);
        }
        ASSERT_EQ(next, rows);
      }
    }
  }
}

TEST(row_ranges, fifty_rows_keep_every_core_busy) {
  EXPECT_EQ(row_ranges(50, 2, 64).size(), 2u);
  EXPECT_EQ(row_ranges(50, 8, 64).size(), 8u);
  EXPECT_EQ(row_ranges(50, 48, 16).size(), 48u);
}

}  // namespace
}  // namespace components
