#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "every_mapping.hpp"

namespace weir::testing {
namespace {

// Nothing feasible that is 2 % better is left out by the exact search; without it, the local search alone leaves out
// little and seldom.
TEST(mapping_exhaustion, nothing_better_is_left_out_on_four_cores) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    const search_ratios got = searched_beside_exhausted(random, 4, 4, 10'000'000);
    EXPECT_LE(got.throughput, 1.02) << round;
    EXPECT_LE(got.latency_alone, 1.02) << round;
    EXPECT_LE(got.latency_at_rate, 1.02) << round;
    EXPECT_LE(got.cores, 1) << round;
  }
}

}  // namespace
}  // namespace weir::testing
