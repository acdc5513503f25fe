#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <weir/scheduler/policies/adaptive.hpp>
#include "scheduler/simulate/hindsight.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

// Streams in which moving cores may do harm. The result of adaptive is held against the best allotment that stays.
namespace weir::testing {
namespace {

using namespace simulation;

simulated_component law(std::string name, double seconds, double alpha, double contention = 0) {
  simulated_component c = constant(std::move(name), seconds);
  c.cost = law_cost{{seconds}, alpha, contention, 0, 0, {}};
  c.noise = 0.05;
  return c;
}

// The least ratio over some seeds, of records a second to those of the best fixed allotment.
double least_over_best_fixed(const scenario& of) {
  of.validate();
  double least = INFINITY;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const contender who{adaptive{objective::throughput}};
    least = std::min(least, simulation::run(of, seed, who).throughput / regret_of(of, seed).best_fixed.throughput);
  }
  return least;
}

// One component takes five times as long, then the other, every 40 records, and no x tells. Following loses a third.
TEST(adaptive_on_a_stream, that_swings_faster_than_it_can_follow_is_nearly_as_good_as_the_best_fixed_allotment) {
  scenario s = network(32, 1500, {law("a", .5, .97), law("b", .5, .97), law("c", .06, .9)});
  s.move_cost = 0.02;
  s.phase_starts.clear();
  for (std::uint64_t first = 0; first < s.records; first += 40) s.phase_starts.push_back(first);
  for (std::size_t i = 0; i < 2; ++i) {
    s.components[i].phases.assign(s.phase_starts.size(), s.components[i].phases[0]);
    for (std::size_t k = 0; k < s.phase_starts.size(); ++k) s.components[i].phases[k].factor = k % 2 == i ? 1 : 5;
  }
  EXPECT_GT(least_over_best_fixed(s), 0.9);
}

// The same, every 100 records, where x tells: the records that wait are a forecast. Without it one division is kept.
TEST(adaptive_on_a_stream, that_swings_is_followed_where_records_that_wait_tell_of_it) {
  scenario s = network(32, 1500, {law("a", .1, .97), law("b", .1, .97), law("c", .06, .9)});
  s.move_cost = 0.02;
  s.phase_starts.clear();
  for (std::uint64_t first = 0; first < s.records; first += 100) s.phase_starts.push_back(first);
  for (std::size_t i = 0; i < 2; ++i) {
    s.components[i].cost = law_cost{{0, 0.1}, .97, 0, 0, 0, {}};
    s.components[i].degree = 1;
    s.components[i].phases.assign(s.phase_starts.size(), s.components[i].phases[0]);
    for (std::size_t k = 0; k < s.phase_starts.size(); ++k)
      s.components[i].phases[k].x = k % 2 == i ? input_range{input_range::shape::uniform, 0.5, 1.5, {}}
                                               : input_range{input_range::shape::uniform, 7, 13, {}};
  }
  EXPECT_GT(least_over_best_fixed(s), 1.05);
  controller_options blind;
  blind.look_ahead = false;
  const contender who{adaptive{objective::throughput}}, without{adaptive{objective::throughput}, blind};
  EXPECT_GT(simulation::run(s, 1, who).throughput, 1.1 * simulation::run(s, 1, without).throughput);
}

// Two components are fastest on six cores, and equal shares give them eight.
TEST(adaptive_on_components_that_more_cores_hurt, finds_out_and_goes_back) {
  scenario s =
      network(32, 1500, {law("a", .2, .98, .0272), law("b", .3, .98), law("c", .2, .98, .0272), law("d", .05, .9)});
  s.move_cost = 0.02;
  EXPECT_GT(least_over_best_fixed(s), 0.93);
}

}  // namespace
}  // namespace weir::testing
