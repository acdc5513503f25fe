#include "bench/weir/explain/explain_overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace weir::testing {
namespace {

using program::invocation;
using program::observed_run;
using program::overlap_sweep;
using program::overlap_with;

// 0: they share a core, 1: a cache, 2: a node, 3: nothing.
int nearest_place(const topology& cores, const invocation& one, const invocation& o) {
  int nearest = 3;
  for (int a = one.first_core; a <= one.last_core(); ++a)
    for (int b = o.first_core; b <= o.last_core(); ++b)
      nearest = std::min(nearest, a == b                                     ? 0
                                  : cores[a].l3 == cores[b].l3               ? 1
                                  : cores[a].numa_node == cores[b].numa_node ? 2
                                                                             : 3);
  return nearest;
}

// The definition, pair by pair: how long each other invocation ran during this one, by the nearest place they share.
std::array<double, 3> by_definition(const observed_run& run, const topology& cores, const invocation& one,
                                    std::uint32_t other) {
  std::array<double, 3> sums{};
  for (const invocation& o : run.rows) {
    if (o.component != other) continue;
    const double shared = std::min(one.start + one.seconds, o.start + o.seconds) - std::max(one.start, o.start);
    const int place = nearest_place(cores, one, o);
    if (shared > 0 && place < 3) sums[static_cast<std::size_t>(place)] += shared / one.seconds;
  }
  return sums;
}

// By definition: the remaining time of the other's invocations that run a twentieth of a typical time after this one
// began, by nearness. Each invocation counts for at most one typical time.
std::array<double, 3> left_by_definition(const observed_run& run, const topology& cores, const invocation& one,
                                         std::uint32_t other, double typical) {
  const double now = one.start + typical / 20;
  std::array<double, 3> left{}, count{};
  for (const invocation& o : run.rows) {
    if (o.component != other || o.start > now || o.start + o.seconds <= now) continue;
    const int place = nearest_place(cores, one, o);
    for (int n = place; n < 3; ++n) {
      left[static_cast<std::size_t>(n)] += (o.start + o.seconds - now) / typical;
      ++count[static_cast<std::size_t>(n)];
    }
  }
  std::array<double, 3> result{};
  for (std::size_t n = 0; n < 3; ++n)
    result[n] = std::min(left[n], count[n]) - (n ? std::min(left[n - 1], count[n - 1]) : 0);
  return result;
}

observed_run random_run(unsigned seed, int rows, int components, const topology& cores) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  observed_run run;
  run.has_start = run.has_core_set = true;
  for (int c = 0; c < components; ++c) run.components.push_back("c" + std::to_string(c));
  for (int i = 0; i < rows; ++i) {
    invocation row;
    row.component = static_cast<std::uint32_t>(random() % static_cast<unsigned>(components));
    row.start = 5 + std::floor(100 * uniform(random)) / 4;  // many begin, and end, at the same time
    row.seconds = std::ceil(20 * uniform(random)) / 4;
    row.cores = 1 + static_cast<int>(random() % 4);
    row.first_core = static_cast<int>(random() % static_cast<unsigned>(cores.size() - row.cores + 1));
    run.rows.push_back(row);
  }
  return run;
}

TEST(explain_overlap, is_what_the_definition_says) {
  for (const char* const machine : {"package:2 l3:2 core:3 pu:1", "core:8 pu:1", "package:1 core:5 pu:2"})
    for (unsigned seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(machine);
      const topology cores = topology::synthetic(machine);
      const observed_run run = random_run(seed, 300, 4, cores);
      const overlap_sweep sweep(run, cores);
      for (std::uint32_t component = 0; component < 4; ++component) {
        const std::vector<overlap_with> all = sweep.of(component, 2);
        ASSERT_EQ(all.size(), 3u) << "with itself there is none";
        std::size_t row = 0;
        for (const invocation& one : run.rows) {
          if (one.component != component) continue;
          for (const overlap_with& o : all) {
            EXPECT_NE(o.other, component);
            const std::array<double, 3> expected = by_definition(run, cores, one, o.other);
            const std::array<double, 3> left = left_by_definition(run, cores, one, o.other, 2);
            for (std::size_t n = 0; n < 3; ++n) {
              EXPECT_NEAR(o.average[n][row], expected[n], 1e-5);
              EXPECT_NEAR(o.begun[n][row], left[n] < 1e-4 ? 0 : left[n], 1e-5);
            }
          }
          ++row;
        }
      }
    }
}

// Hours into a run of invocations of microseconds each, the rounding of the sums is not taken for an overlap.
TEST(explain_overlap, of_short_invocations_late_in_a_run_is_exact) {
  observed_run run;
  run.has_start = run.has_core_set = true;
  run.components = {"a", "b"};
  for (int i = 0; i < 20'000; ++i) {
    invocation row;
    row.first_core = 0;
    row.component = 1;
    row.start = i;
    row.seconds = 0.3;
    run.rows.push_back(row);
    row.component = 0;
    row.start = i + (i % 2 ? 0.5 : 0.1);
    row.seconds = 1e-5;
    run.rows.push_back(row);
  }
  const std::vector<overlap_with> all = overlap_sweep(run, topology::synthetic("core:1 pu:1")).of(0, 1);
  for (std::size_t i = 0; i < 20'000; ++i) {
    if (i % 2)
      EXPECT_EQ(all[0].average[0][i], 0);
    else
      EXPECT_NEAR(all[0].average[0][i], 1, 1e-3);
  }
}

TEST(explain_overlap, without_places_everything_is_as_near) {
  observed_run run;
  run.has_start = true;
  run.components = {"a", "b"};
  run.rows.resize(2);
  run.rows[0].seconds = 4;
  run.rows[1].component = 1;
  run.rows[1].start = 1;
  run.rows[1].seconds = 2;
  const overlap_sweep sweep(run, topology::synthetic("core:2 pu:1"));
  EXPECT_FLOAT_EQ(sweep.of(0, 1)[0].average[0][0], 0.5f);
  EXPECT_FLOAT_EQ(sweep.of(1, 1)[0].average[0][0], 1);
  EXPECT_FLOAT_EQ(sweep.of(1, 1)[0].average[2][0], 0);
}

TEST(explain_overlap, without_starts_there_is_none) {
  observed_run run;
  run.components = {"a", "b"};
  run.rows.resize(2);
  run.rows[1].component = 1;
  EXPECT_EQ(overlap_sweep(run, topology::synthetic("core:2 pu:1")).of(0, 1)[0].average[0][0], 0);
}

}  // namespace
}  // namespace weir::testing
