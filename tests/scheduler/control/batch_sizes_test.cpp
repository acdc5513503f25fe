#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include "scheduler/control/batch_sizes.hpp"

// The size of batches that a component learns.
namespace weir {
namespace {

constexpr double any = std::numeric_limits<double>::infinity();

struct random_cost {
  std::string name;
  std::function<double(double)> seconds;  // of an invocation, by its records
};

const std::array<random_cost, 8> costs{{
    {"constant", [](double) { return 10.0; }},
    {"linear, nothing to share", [](double n) { return 2 * n; }},
    {"a start and a part for each", [](double n) { return 8 + n; }},
    {"tiles of 8", [](double n) { return 3 * std::ceil(n / 8) + 0.05 * n; }},
    {"tiles of 12", [](double n) { return 3 * std::ceil(n / 12) + 0.05 * n; }},
    {"quadratic above a start", [](double n) { return 30 + n + 0.05 * n * n; }},
    {"out of the cache above 24", [](double n) { return n <= 24 ? 4 + n : 4 + 24 + 2.5 * (n - 24); }},
    {"sublinear", [](double n) { return std::pow(n, 0.8); }},
}};

double least_of_a_record(const random_cost& cost, std::size_t most, double longest = any) {
  double least = cost.seconds(1);
  for (std::size_t n = 1; n <= most; ++n)
    if (const double seconds = cost.seconds(static_cast<double>(n)); seconds <= longest)
      least = std::min(least, seconds / static_cast<double>(n));
  return least;
}

// Times scatter by a tenth. The mean over the second half of the invocations, tries included.
TEST(batch_sizes, reach_the_least_time_of_a_record_within_5_percent) {
  for (const random_cost& cost : costs)
    for (const std::size_t most : {8, 64, 1000}) {
      std::mt19937 random(7);
      std::normal_distribution<double> scatter(1, 0.1);
      batch_sizes sizes(most);
      double seconds = 0, records = 0;
      constexpr int invocations = 4000;
      for (int i = 0; i < invocations; ++i) {
        const std::size_t n = sizes.next(100'000);
        ASSERT_GE(n, 1u);
        ASSERT_LE(n, most);
        const double whole = cost.seconds(static_cast<double>(n)) * std::max(0.1, scatter(random));
        sizes.note(n, whole / static_cast<double>(n), false, any);
        if (i < invocations / 2) continue;
        seconds += whole;
        records += static_cast<double>(n);
      }
      EXPECT_LE(seconds / records, 1.05 * least_of_a_record(cost, most)) << cost.name << ", at most " << most;
    }
}

TEST(batch_sizes, take_no_more_than_what_waits) {
  batch_sizes sizes(64);
  for (int i = 0; i < 1000; ++i) {
    const std::size_t waiting = static_cast<std::size_t>(i) % 9;
    const std::size_t n = sizes.next(waiting);
    ASSERT_LE(n, std::max<std::size_t>(waiting, 1));
    sizes.note(n, 1.0 / static_cast<double>(n), false, any);
  }
  EXPECT_EQ(sizes.preferred(), 8u) << "the largest that ever waited is the best that could be seen";
}

// Where an invocation for two records already takes too long, none takes more than one, but for the tries that find
// that out.
TEST(batch_sizes, keep_invocations_below_the_longest) {
  for (const random_cost& cost : costs) {
    const double longest = 45;
    batch_sizes sizes(1000);
    double seconds = 0, records = 0;
    int too_long = 0;
    for (int i = 0; i < 4000; ++i) {
      const std::size_t n = sizes.next(100'000);
      const double whole = cost.seconds(static_cast<double>(n));
      if (whole > longest) ++too_long;
      sizes.note(n, whole / static_cast<double>(n), false, longest);
      if (i >= 2000) seconds += whole, records += static_cast<double>(n);
    }
    EXPECT_LE(too_long, 4000 / 50) << cost.name;
    EXPECT_LE(cost.seconds(static_cast<double>(sizes.preferred())), longest) << cost.name;
    EXPECT_LE(seconds / records, 1.1 * least_of_a_record(cost, 1000, longest)) << cost.name;
  }
}

// A change of the costs, and one of the cores, is found.
TEST(batch_sizes, follow_a_change) {
  batch_sizes sizes(64);
  const auto run = [&](const random_cost& cost, bool after_move, int invocations) {
    for (int i = 0; i < invocations; ++i) {
      const std::size_t n = sizes.next(100'000);
      sizes.note(n, cost.seconds(static_cast<double>(n)) / static_cast<double>(n), after_move && i == 0, any);
    }
    return cost.seconds(static_cast<double>(sizes.preferred())) / static_cast<double>(sizes.preferred());
  };
  run(costs[0], false, 1000);
  EXPECT_EQ(sizes.preferred(), 64u);
  EXPECT_LE(run(costs[5], false, 8000), 1.05 * least_of_a_record(costs[5], 64)) << "the costs have changed";
  EXPECT_LE(run(costs[3], true, 1500), 1.05 * least_of_a_record(costs[3], 64)) << "the cores have changed";
}

// A size that always fails costs its own time and that of its records alone; it is tried now and then, and not used.
TEST(batch_sizes, leave_a_size_that_fails) {
  batch_sizes sizes(64);
  int failed = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::size_t n = sizes.next(100'000);
    const double whole = 8 + static_cast<double>(n);
    if (n <= 20) {
      sizes.note(n, whole / static_cast<double>(n), false, any);
      continue;
    }
    ++failed;
    for (std::size_t alone = 0; alone < n; ++alone) sizes.note(1, 9, false, any);
    sizes.note(n, whole / static_cast<double>(n) + 9, false, any);
  }
  EXPECT_LE(failed, 200);
  EXPECT_GE(sizes.preferred(), 16u);
  EXPECT_LE(sizes.preferred(), 20u);
}

// Sizes that never wait are no reason to try no others.
TEST(batch_sizes, go_on_trying_where_few_records_wait) {
  batch_sizes sizes(64);
  const auto cost = [](double n) { return 3 * std::ceil(n / 10) + 0.01 * n; };
  for (int i = 0; i < 2000; ++i) {
    const std::size_t n = sizes.next(33);
    sizes.note(n, cost(static_cast<double>(n)) / static_cast<double>(n), false, any);
  }
  EXPECT_LE(cost(static_cast<double>(sizes.preferred())) / static_cast<double>(sizes.preferred()), 1.05 * 0.31);
}

}  // namespace
}  // namespace weir
