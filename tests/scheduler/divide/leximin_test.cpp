#include "scheduler/divide/leximin.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

struct instance {
  std::vector<core_bounds> items;
  std::vector<std::vector<double>> times;  // [item][cores - 1]
  int cores = 0;
  double seconds(int item, int c) const {
    return times[static_cast<std::size_t>(item)][static_cast<std::size_t>(c - 1)];
  }
};

enum class shape { falling, steps, anything };

instance random_instance(std::mt19937& random, shape kind) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  instance made;
  const int n = pick(1, 4);
  made.cores = pick(n, 9);
  int slack = made.cores - n;
  for (int i = 0; i < n; ++i) {
    const int lower = 1 + (pick(0, 3) == 0 ? pick(0, slack) : 0);
    slack -= lower - 1;
    made.items.push_back({lower, std::min(made.cores, pick(0, 2) ? made.cores : lower + pick(0, 3))});
    std::vector<double> times{real(1, 20)};
    for (int c = 2; c <= made.cores; ++c) {
      if (kind == shape::anything) times.push_back(real(1, 20));
      if (kind == shape::steps) times.push_back(pick(0, 1) ? times.back() : times.back() * real(0.4, 1));
      if (kind == shape::falling) times.push_back(times.back() * real(0.5, 0.99));
    }
    made.times.push_back(times);
  }
  return made;
}

// The times of the best division, slowest first, by trying all.
std::vector<double> by_force(const instance& given) {
  std::vector<double> best;
  std::vector<double> times(given.items.size());
  const auto next = [&](auto&& self, std::size_t i, int left) -> void {
    if (i == given.items.size()) {
      std::vector<double> sorted = times;
      std::sort(sorted.rbegin(), sorted.rend());
      if (best.empty() || sorted < best) best = sorted;
      return;
    }
    for (int c = given.items[i].lower; c <= std::min(left, given.items[i].upper); ++c) {
      times[i] = given.seconds(static_cast<int>(i), c);
      self(self, i + 1, left - c);
    }
  };
  next(next, 0, given.cores);
  return best;
}

std::vector<double> by_rule(const instance& given) {
  const std::vector<int> cores =
      leximin(given.items, given.cores, [&](int item, int c) { return given.seconds(item, c); });
  EXPECT_LE(std::accumulate(cores.begin(), cores.end(), 0), given.cores);
  std::vector<double> times;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    EXPECT_GE(cores[i], given.items[i].lower);
    EXPECT_LE(cores[i], given.items[i].upper);
    times.push_back(given.seconds(static_cast<int>(i), cores[i]));
  }
  std::sort(times.rbegin(), times.rend());
  return times;
}

TEST(leximin, the_slowest_is_as_fast_as_any_division_can_make_it_also_where_times_rise_again) {
  std::mt19937 random(3);
  for (shape kind : {shape::falling, shape::steps, shape::anything})
    for (int trial = 0; trial < testing::fewer(3000); ++trial) {
      const instance given = random_instance(random, kind);
      ASSERT_DOUBLE_EQ(by_rule(given)[0], by_force(given)[0]) << "trial " << trial;
    }
}

TEST(leximin, all_the_others_are_too_since_times_are_distinct) {
  std::mt19937 random(4);
  for (shape kind : {shape::falling, shape::anything})
    for (int trial = 0; trial < testing::fewer(3000); ++trial) {
      const instance given = random_instance(random, kind);
      const std::vector<double> rule = by_rule(given), force = by_force(given);
      for (std::size_t i = 0; i < rule.size(); ++i) ASSERT_DOUBLE_EQ(rule[i], force[i]) << "trial " << trial;
    }
}

TEST(leximin, cores_that_make_nothing_faster_stay_with_nobody) {
  EXPECT_EQ(leximin({{1, 8}, {1, 8}}, 8, [](int item, int c) { return item == 0 ? 5.0 / std::min(c, 2) : 2.0; }),
            (std::vector<int>{2, 1}));
}

}  // namespace
}  // namespace weir
