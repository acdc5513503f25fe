#include <gtest/gtest.h>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "tests/scheduler/simulate/scenarios.hpp"

// Fewer records than cores: invocations of the shared group divide those that are idle.
namespace weir {
namespace {

using namespace simulation;
using testing::network;
using testing::of_law;

scenario of_12_records(int width) {
  scenario s = network(48, 12,
                       {of_law("a", {30}, 0.99, 0.05, width), of_law("b", {5}, 0.9, 0.05, width),
                        of_law("c", {60}, 0.99, 0.05, width), of_law("d", {10}, 0.95, 0.05, width)});
  s.move_cost = 0.005;
  return s;
}

// On one core each, twelve records leave 36 of 48 cores idle, and take 1.6 times as long as on equal shares.
TEST(few_records, take_the_cores_that_are_idle) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const double shared = run(of_12_records(48), seed, contender{adaptive{}}).seconds;
    EXPECT_LT(shared, 0.75 * run(of_12_records(48), seed, contender{equal_shares{}}).seconds) << seed;
  }
}

// As many records as cores leave none idle, and boxes that cannot use several cores have one each.
TEST(few_records, leave_cores_idle_that_gain_nothing) {
  scenario s = of_12_records(48);
  for (simulated_component& c : s.components) c.sequential = true;
  for (const std::uint64_t seed : {1, 2}) {
    const simulated_result r = run(s, seed, contender{adaptive{}});
    double busy = 0, work = 0;
    for (const double part : r.utilisation) busy += part * r.seconds * s.cores;
    for (const double each : {30, 5, 60, 10}) work += 12 * each;
    EXPECT_NEAR(busy, work, 0.1 * work) << seed;
  }
}

// Lanes that were taken by an invocation on several cores are given back where the cores change under it.
TEST(few_records, give_all_cores_back) {
  scenario s = network(16, 200, {of_law("a", {1}, 0.95, 0.2, 16), of_law("b", {3}, 0.99, 0.2, 16)});
  s.coming.how = arrivals::kind::profile;
  s.coming.rates = {{0, 1}};
  s.phase_starts = {0, 50, 100, 150};
  s.phases = {{}, {6, {}}, {11, {}}, {}};
  for (simulated_component& c : s.components) c.phases.resize(4);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const simulated_result r = run(s, seed, contender{adaptive{}});  // its invariants are checked
    EXPECT_EQ(r.records, 200U) << seed;
  }
}

}  // namespace
}  // namespace weir
