#include "scheduler/steady_inputs.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace weir {
namespace {

// A stream whose values jump by `factor` after `before` of them.
std::vector<double> stream(std::size_t before, std::size_t after, double factor, unsigned seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<> value(3, 1);
  std::vector<double> out;
  for (std::size_t i = 0; i < before + after; ++i) out.push_back(value(random) * (i < before ? 1 : factor));
  return out;
}

TEST(steady_inputs, are_all_while_nothing_changes) {
  int cut = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) cut += steady_inputs(stream(256, 0, 1, seed)) < 256;
  EXPECT_LE(cut, 10);  // of 1000: four standard errors, of eight values at the least
}

TEST(steady_inputs, are_those_after_a_change_as_far_as_can_be_told) {
  for (const std::size_t after : {8u, 16u, 32u, 64u, 100u, 128u}) {
    std::size_t kept = 0, old = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
      const std::size_t n = steady_inputs(stream(256 - after, after, 20, seed));
      kept += std::min(n, after);
      old += n > after ? n - after : 0;
    }
    EXPECT_GE(kept, after * 100 / 3) << after;  // at least a third of what is new counts
    EXPECT_LE(old, kept) << after;              // and less of what is old than of what is new
  }
}

TEST(steady_inputs, of_equal_values_are_all_and_a_step_between_equal_values_is_seen) {
  std::vector<double> values(100, 7.0);
  EXPECT_EQ(steady_inputs(values), 100u);
  for (std::size_t i = 0; i < 16; ++i) values.push_back(8.0);
  EXPECT_EQ(steady_inputs(values), 16u);
  EXPECT_EQ(steady_inputs({}), 0u);
  EXPECT_EQ(steady_inputs(std::vector<double>(9, 0.0)), 9u);
  std::vector<double> signs(64, -1.0);
  for (std::size_t i = 0; i < 32; ++i) signs.push_back(2.0);
  EXPECT_EQ(steady_inputs(signs), 32u);
}

}  // namespace
}  // namespace weir
