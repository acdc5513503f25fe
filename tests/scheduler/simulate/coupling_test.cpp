#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/scheduler/policies/adaptive.hpp>
#include "scheduler/simulate/random_scenario.hpp"
#include "scheduler/simulate/simulated_network.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

namespace weir::testing {
namespace {

using namespace simulation;

// Two components in a line. The first takes a second alone, the second a tenth of that.
scenario line(double pressure, double sensitivity) {
  scenario s = network(8, 200, {constant("press", 1), constant("slowed", 0.1)});
  s.components[0].pressure = pressure;
  s.components[1].sensitivity = sensitivity;
  return s;
}

// The seconds that invocations of a component took, in the order of their ends.
std::vector<double> seconds_of(const scenario& s, const allotment& a, std::size_t component) {
  s.validate();
  simulated_network n(s, 1);
  n.move_to(a);
  std::vector<double> seconds;
  while (n.advance())
    if (n.ended() && n.ended()->component == component) seconds.push_back(n.ended()->seconds);
  return seconds;
}

// An invocation is slowed down by the pressure of each core that another one keeps busy. The last one runs alone.
TEST(coupling, an_invocation_takes_longer_by_what_runs_meanwhile) {
  const scenario s = line(0.5, 0.4);
  const allotment a{{{{0, 1, 2}, 1}, {{3}, 1}}, {}};
  const std::vector<double> seconds = seconds_of(s, a, 1);
  ASSERT_EQ(seconds.size(), 200u);
  EXPECT_NEAR(seconds[50], 0.1 * (1 + 0.4 * 0.5 * 3), 1e-12);
  EXPECT_NEAR(seconds.back(), 0.1, 1e-12);
  for (double first : seconds_of(s, a, 0)) EXPECT_EQ(first, 1);  // it is not sensitive
}

// Only the part of its work that it does under a pressure takes longer.
TEST(coupling, a_pressure_counts_for_as_long_as_it_lasts) {
  scenario s = line(0.5, 2);  // on one core: twice as long
  s.records = 2;
  s.components[1] = constant("slowed", 0.7);
  s.components[1].sensitivity = 2;
  const allotment a{{{{0}, 1}, {{1}, 1}}, {}};
  const std::vector<double> seconds = seconds_of(s, a, 1);
  ASSERT_EQ(seconds.size(), 2u);
  EXPECT_NEAR(seconds[0], 1 + (0.7 - 0.5), 1e-12);  // from 1 to 2 at half of the speed, then alone
  EXPECT_NEAR(seconds[1], 0.7, 1e-12);
}

// Other lanes of the same component press on it like those of another.
TEST(coupling, lanes_of_a_component_slow_each_other_down) {
  scenario s = network(4, 400, {constant("a", 1)});
  s.components[0].max_width = 4;
  s.components[0].pressure = s.components[0].sensitivity = 0.5;
  const std::vector<double> seconds = seconds_of(s, {{{{0, 1, 2, 3}, 4}}, {}}, 0);
  EXPECT_NEAR(seconds[200], 1 + 3 * 0.25, 1e-12);
}

// Pressure without sensitivity, and sensitivity without pressure, leave a run as it was to the last bit.
TEST(coupling, half_of_a_coupling_changes_nothing) {
  const auto drawn = [](double pressure, double sensitivity) {
    scenario s = random_scenario({.what = workload::kind::k2, .cores = 16, .records = 500}, 7);
    for (simulated_component& c : s.components) c.pressure = pressure, c.sensitivity = sensitivity;
    return run_on(s, one_core_each(s));
  };
  const double usual = drawn(0, 0).seconds;
  EXPECT_EQ(drawn(3, 0).seconds, usual);
  EXPECT_EQ(drawn(0, 3).seconds, usual);
  EXPECT_GT(drawn(3, 3).seconds, usual);
}

// Components that run outside the cores share no memory with those on them.
TEST(coupling, components_outside_the_cores_take_no_part) {
  scenario s = line(5, 5);
  s.components[0].blocking = 2;
  const allotment a{{{{}, 2, true}, {{0}, 1}}, {}};
  for (double each : seconds_of(s, a, 1)) EXPECT_NEAR(each, 0.1, 1e-12);
}

// A serial component is the slowest. The one before it presses on its memory, gains little from cores, and gets all
// that are left, unless the rule knows what that costs.
scenario idle_cores_help() {
  scenario s = network(16, 3000, {constant("stage", 1), constant("solve", 1)});
  s.move_cost = 0.01;
  s.components[0].cost = law_cost{{0, 0.03}, 0.6, 0, 0, 0, {}};
  s.components[0].phases[0].x = {input_range::shape::uniform, 1, 5, {}};
  s.components[0].pressure = 1;
  s.components[1].cost = law_cost{{0, 0.1}, 0, 0, 0, 0, {}};
  s.components[1].phases[0].x = {input_range::shape::uniform, 0.5, 1.5, {}};
  s.components[1].sensitivity = 0.1;
  s.components[1].sequential = true;
  s.components[1].max_cores = 1;
  for (simulated_component& c : s.components) c.degree = 1, c.noise = 0.05;
  return s;
}

// Over the best fixed division, the rule that learns the coupling has 0.94 at least, and 0.05 more than without.
TEST(coupling, cores_that_only_slow_others_down_stay_idle) {
  const scenario s = idle_cores_help();
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    double best = 0;
    for (int cores = 1; cores <= 15; ++cores)
      best = std::max(best, run_on(s, {{{core_set::range(0, cores), 1}, {{15}, 1}}, {}}, seed).throughput);
    contender with{adaptive{}};
    with.control.interference = true;
    const contender without{adaptive{}};
    const simulated_result known = run(s, seed, with);
    EXPECT_GT(known.throughput, 0.94 * best) << seed;
    EXPECT_GT(known.throughput, run(s, seed, without).throughput + 0.05 * best) << seed;
    EXPECT_NE(known.decisions.at(1).why.find("; its neighbours slow solve down by "), std::string::npos)
        << known.decisions.at(1).why;
  }
}

// Where no component presses on another, a run that learns couplings is the same to the last bit as one that does not.
TEST(coupling, learning_changes_nothing_where_there_is_none) {
  for (const workload::kind what : {workload::kind::k1, workload::kind::k2, workload::kind::k4}) {
    const scenario s = random_scenario({.what = what, .cores = 16, .records = 1000}, 3);
    contender with{adaptive{}};
    with.control.interference = true;
    const contender without{adaptive{}};
    EXPECT_EQ(run(s, 3, with).seconds, run(s, 3, without).seconds) << to_string(what);
  }
}

TEST(coupling, refuses_what_is_no_pressure) {
  EXPECT_THROW(line(-1, 0).validate(), std::invalid_argument);
  EXPECT_THROW(line(0, std::numeric_limits<double>::quiet_NaN()).validate(), std::invalid_argument);
  EXPECT_THROW(line(1e9, 0).validate(), std::invalid_argument);
}

}  // namespace
}  // namespace weir::testing
