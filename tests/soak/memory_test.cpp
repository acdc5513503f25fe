#include "tests/soak/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/sanitizers.hpp"

// The soak's judgement of memory: it must notice a leak, and not take noise for one.
namespace weir::testing {
namespace {

// 10 minutes of 30 MB that vary by 3 MB, after a start that fills up, plus `leak` bytes per second.
std::vector<double> ten_minutes(double leak) {
  std::vector<double> all;
  for (int second = 0; second < 600; ++second)
    all.push_back(std::min(30e6, 2e6 * second) + 3e6 * (second * 7 % 5) / 5 + leak * second);
  return all;
}

TEST(memory, that_fills_up_and_jumps_is_flat) {
  const flatness f = flatness_of(ten_minutes(0));
  EXPECT_TRUE(f.is_judged);
  EXPECT_TRUE(f.is_flat) << to_string(f);
}

TEST(memory, that_grows_by_40_kB_a_second_is_not_flat) { EXPECT_FALSE(flatness_of(ten_minutes(40e3)).is_flat); }

TEST(memory, is_not_judged_by_half_a_minute_less_one) {
  EXPECT_FALSE(flatness_of(std::vector<double>(29, 1e6)).is_judged);
  EXPECT_TRUE(flatness_of(std::vector<double>(30, 1e6)).is_judged);
}

TEST(memory, in_use_counts_what_was_allocated) {
  if (sanitized) GTEST_SKIP() << "a sanitizer has a malloc of its own, of which mallinfo2 knows nothing";
  const memory_use before = memory_now();
  const std::vector<char> more(std::size_t{40} << 20, 1);
  const memory_use after = memory_now();
  EXPECT_GE(after.in_use - before.in_use, 40e6);
  EXPECT_GE(after.resident - before.resident, 39e6);
}

}  // namespace
}  // namespace weir::testing
