#include <weir/scheduler/machine/core_set.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

namespace weir {
namespace {

TEST(core_set, is_sorted_and_distinct_whatever_it_is_made_of) {
  EXPECT_EQ(core_set({3, 1, 3, 2}), core_set::range(1, 3));
  EXPECT_TRUE(core_set::range(5, 0).empty());
  EXPECT_TRUE(core_set::range(5, -1).empty());
}

TEST(core_set, agrees_with_std_set_on_random_sets) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<int> a, b;
    for (int core = 0; core < 20; ++core) {
      if (random() % 2) a.push_back(core);
      if (random() % 3 == 0) b.push_back(core);
    }
    const core_set x(a), y(b);
    for (int core = -1; core < 21; ++core) {
      EXPECT_EQ((x | y).contains(core), x.contains(core) || y.contains(core));
      EXPECT_EQ((x & y).contains(core), x.contains(core) && y.contains(core));
      EXPECT_EQ((x - y).contains(core), x.contains(core) && !y.contains(core));
    }
    EXPECT_EQ(x.intersects(y), !(x & y).empty());
  }
}

TEST(core_set, slices_are_neighbours_of_floor_or_ceil_size_larger_first_and_together_the_set) {
  for (int size = 1; size <= 20; ++size)
    for (int parts = 1; parts <= size; ++parts) {
      const core_set all = core_set::range(3, size);
      core_set sum;
      int before = size;
      for (const core_set& slice : all.slices(parts)) {
        EXPECT_TRUE(slice.size() == size / parts || slice.size() == (size + parts - 1) / parts);
        EXPECT_LE(slice.size(), before);
        EXPECT_FALSE(slice.intersects(sum));
        EXPECT_EQ(slice, core_set::range(slice[0], slice.size()));
        before = slice.size();
        sum = sum | slice;
      }
      EXPECT_EQ(sum, all);
    }
}

TEST(core_set, a_part_has_the_cores_from_a_place_on) {
  EXPECT_EQ(core_set({0, 2, 4, 5}).part(1, 2), core_set({2, 4}));
  EXPECT_EQ(core_set({0, 2, 4, 5}).part(4, 0), core_set());
}

TEST(core_set, prints_runs) {
  EXPECT_EQ(to_string(core_set({0, 1, 2, 3, 8})), "0-3,8");
  EXPECT_EQ(to_string(core_set({5})), "5");
  EXPECT_EQ(to_string(core_set({0, 2, 4, 5})), "0,2,4-5");
  EXPECT_EQ(to_string(core_set()), "none");
}

}  // namespace
}  // namespace weir
