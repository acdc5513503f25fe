#include "model/law/power_sums.hpp"

#include <gtest/gtest.h>

#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

TEST(power_sums, a_larger_x_rescales_what_is_there_exactly) {
  // x and t are small integers, so that every sum is exact and equality is to the bit.
  power_sums small_first(3), large_first(3);
  small_first.add(3, 2, 5, 1);
  small_first.add(1000, 2, 7, 1);
  large_first.add(1000, 2, 7, 1);
  large_first.add(3, 2, 5, 1);
  EXPECT_EQ(small_first.exponent(), 10);
  EXPECT_EQ(small_first.numbers(), large_first.numbers());
}

TEST(power_sums, hold_the_sums_they_promise) {
  power_sums sums(1);
  sums.add(2, 4, 10, 0.5);
  sums.add(3, 4, 20, 2);
  ASSERT_EQ(sums.slots(), 1);
  EXPECT_EQ(sums.exponent(), 2);  // u = x / 4
  const auto slot = sums.at(0);
  EXPECT_EQ(slot.inverse_cores, 0.25);
  EXPECT_EQ(std::vector(slot.s.begin(), slot.s.end()), (std::vector{2.5, 1.75, 1.25}));
  EXPECT_EQ(std::vector(slot.b.begin(), slot.b.end()), (std::vector{45.0, 32.5}));
  EXPECT_EQ(slot.y, 850);
}

TEST(power_sums, hold_one_slot_a_number_of_cores_in_ascending_order) {
  power_sums sums(0);
  for (const int p : {8, 1, 4, 1, 8, 2}) sums.add(1, p, 1, 1);
  ASSERT_EQ(sums.slots(), 4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(sums.at(i).inverse_cores, 1.0 / (1 << i));
  EXPECT_EQ(sums.at(0).s[0], 2);
  EXPECT_EQ(sums.largest_cores(), 8);
}

TEST(power_sums, when_full_merge_the_two_slots_closest_in_ratio_and_lose_nothing) {
  power_sums sums(0, 4);
  for (const int p : {1, 10, 11, 100}) sums.add(1, p, 1, 1);
  sums.add(1, 50, 1, 1);
  ASSERT_EQ(sums.slots(), 4);
  EXPECT_EQ(sums.at(0).inverse_cores, 1.0);
  EXPECT_DOUBLE_EQ(sums.at(1).inverse_cores, (1.0 / 10 + 1.0 / 11) / 2);
  EXPECT_EQ(sums.at(1).s[0], 2);
  EXPECT_EQ(sums.at(2).inverse_cores, 1.0 / 50);
  EXPECT_EQ(sums.largest_cores(), 100);
  // A merged p is found again.
  sums.add(1, 11, 1, 1);
  EXPECT_EQ(sums.slots(), 4);
  EXPECT_EQ(sums.at(1).s[0], 3);
}

TEST(power_sums, any_sequence_of_p_keeps_the_total_and_the_capacity) {
  chance random(3);
  power_sums sums(2);
  for (int i = 1; i <= 5000; ++i) {
    sums.add(random.x(), 1 + random.index(2000), 1, 1);
    ASSERT_LE(sums.slots(), power_sums::default_capacity);
    double total = 0, previous = 2;
    for (int j = 0; j < sums.slots(); ++j) {
      total += sums.at(j).s[0];
      ASSERT_LT(sums.at(j).inverse_cores, previous);
      previous = sums.at(j).inverse_cores;
    }
    ASSERT_EQ(total, i);
  }
  power_sums again(2);
  ASSERT_TRUE(again.assign(sums.numbers()));
  EXPECT_EQ(again.numbers(), sums.numbers());
}

}  // namespace
}  // namespace weir::test
