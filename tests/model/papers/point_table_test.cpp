#include "model/papers/point_table.hpp"

#include <gtest/gtest.h>

#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

struct totals {
  double observations = 0, seconds = 0;
};

totals of(const point_table& table) {
  totals out;
  for (const auto& one : table.points()) {
    out.observations += one.count;
    out.seconds += one.count * one.seconds;
  }
  return out;
}

TEST(point_table, repeated_points_are_one_with_their_mean_and_scatter) {
  point_table table;
  for (const double t : {1.0, 2.0, 3.0}) table.add(seen(5, 2, t));
  table.add(seen(5, 1, 4));
  table.add(seen(4, 2, 0.5));
  ASSERT_EQ(table.points().size(), 3u);
  EXPECT_EQ(table.points()[0].cores, 1);  // ascending in p, then x
  EXPECT_EQ(table.points()[1].x, 4);
  EXPECT_EQ(table.points()[2].count, 3);
  EXPECT_EQ(table.points()[2].seconds, 2);
  EXPECT_EQ(table.at(2).size(), 2u);
  EXPECT_TRUE(table.at(3).empty());
  EXPECT_NEAR(table.within(), 0.5, 0.3);  // ((1-2)^2 + (3-2)^2) / 2^2, of a mean that moved meanwhile
}

TEST(point_table, any_sequence_keeps_the_capacity_the_order_the_observations_and_the_total_time) {
  chance random(1);
  point_table table;
  totals fed;
  for (int i = 0; i < 5000; ++i) {
    const observation one =
        seen(random.index(20) == 0 ? 0 : random.uniform(0, 1000), 1 << random.index(6), random.uniform(1, 9));
    table.add(one);
    fed.observations += 1;
    fed.seconds += one.seconds;
    ASSERT_LE(table.points().size(), static_cast<std::size_t>(point_table::capacity));
    for (std::size_t j = 1; j < table.points().size(); ++j) {
      const auto &a = table.points()[j - 1], &b = table.points()[j];
      ASSERT_TRUE(a.cores < b.cores || (a.cores == b.cores && a.x < b.x));
    }
  }
  EXPECT_EQ(of(table).observations, fed.observations);
  EXPECT_NEAR(of(table).seconds, fed.seconds, 1e-9 * fed.seconds);
}

TEST(point_table, points_of_a_curve_merge_into_points_of_the_curve) {
  const truth cost{0.9, {1e-3, 0, 0, 1e-9}};
  point_table table;
  for (int x = 50; x <= 2500; x += 5)
    for (const int p : {1, 4}) table.add(seen(x, p, cost(x, p)));
  ASSERT_EQ(table.points().size(), static_cast<std::size_t>(point_table::capacity));
  for (const auto& one : table.points())
    EXPECT_LT(relative_error(one.seconds, cost(one.x, one.cores)), 1e-4) << "x " << one.x << ", p " << one.cores;
}

TEST(point_table, the_largest_x_at_the_largest_p_is_never_merged) {
  chance random(2);
  point_table table;
  table.add(seen(1000, 64, 3.5));
  for (int i = 0; i < 3000; ++i) table.add(seen(random.uniform(990, 1000), 64, 2));
  EXPECT_EQ(table.points().back().x, 1000);
  EXPECT_EQ(table.points().back().seconds, 3.5);
}

TEST(point_table, where_every_p_has_one_point_the_closest_in_ratio_with_fewer_observations_is_forgotten) {
  point_table table;
  for (int i = 0; i < point_table::capacity; ++i) table.add(seen(1, 1 + i * 1000, 1));
  const int last = 1 + (point_table::capacity - 1) * 1000, before = last - 1000;
  table.add(seen(1, last, 1));
  table.add(seen(1, last + 5000, 1));
  ASSERT_EQ(table.points().size(), static_cast<std::size_t>(point_table::capacity));
  EXPECT_TRUE(table.at(before).empty());
  EXPECT_EQ(table.at(last).size(), 1u);
  EXPECT_EQ(table.at(1).size(), 1u);
}

TEST(point_table, numbers_come_back_and_continue_the_same) {
  chance random(3);
  point_table original, copy;
  const auto feed = [&](point_table& table, unsigned seed) {
    chance more(seed);
    for (int i = 0; i < 400; ++i) table.add(seen(more.x(), more.cores(), more.uniform(1, 2)));
  };
  feed(original, 1);
  ASSERT_TRUE(copy.assign(original.numbers()));
  feed(original, 2);
  feed(copy, 2);
  EXPECT_EQ(original.numbers(), copy.numbers());
}

}  // namespace
}  // namespace weir::test
