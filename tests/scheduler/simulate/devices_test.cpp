#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/predict/predict_flow.hpp>
#include "scheduler/simulate/hindsight.hpp"
#include "scheduler/simulate/simulated_run.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

// Components with a second implementation on a device, whose records are placed by the rule of a run.
namespace weir::simulation {
namespace {

using testing::constant;

cost_truth linear(double start, double by_x) { return law_cost{{start, by_x}, 0, 0, 0, 0, {}}; }

// Cores take x ms, the device 50 ms and x / 10 ms more, so the curves cross at 55.6. x is 10 to 1000.
scenario crossing(std::uint64_t records, int slots = 2) {
  scenario s = testing::network(1, records, {constant("blur", 1)});
  simulated_component& c = s.components[0];
  c.cost = linear(0, 1e-3);
  c.degree = 1;
  c.max_width = unlimited;
  c.phases[0].x = {input_range::shape::log_uniform, 10, 1000, {}};
  s.devices = {{"gpu0", slots, {}}};
  c.second = {.device = 0, .cost = linear(0.05, 1e-4), .slot_factors = {}, .from = {}};
  return s;
}

allotment on_first_core() { return {{{{0}, 1}}, {}}; }

device_use on_device(const simulated_result& r) { return r.devices.at(0); }

double part_on_device(const simulated_result& r) {
  return static_cast<double>(on_device(r).seen.invocations) / static_cast<double>(r.records);
}

// The throughput where records from x = `from` on run on the device, and all others on cores.
double throughput_from(scenario s, double from) {
  s.components[0].second->from = from;
  return testing::run_on(s, on_first_core()).throughput;
}

// The runtime's documented rule: the crossing point that is learnt is that of the curves.
TEST(simulated_devices, learn_the_crossing_point_of_the_curves) {
  scenario s = crossing(20'000);
  s.components[0].noise = 0.05;
  const double found = on_device(testing::run_on(s, on_first_core())).seen.crossing;
  EXPECT_NEAR(found / (0.05 / 9e-4), 1, 0.05);
}

// With one core and slots that are all busy, the choice is worth at least 0.98 of the best fixed crossing. Records that
// wait while later ones pass hold up the order of all, the more so with many slots.
TEST(simulated_devices, are_chosen_as_well_as_by_the_best_fixed_crossing) {
  for (const int slots : {1, 2, 3, 4, 6, 8}) {
    const scenario s = crossing(4000, slots);
    double best = 0;
    for (double from = 10; from < 1100; from *= 1.1) best = std::max(best, throughput_from(s, from));
    EXPECT_GE(testing::run_on(s, on_first_core()).throughput, 0.98 * best) << slots << " slots";
  }
}

// All records on the device: as many a second as slots over the time there, and never more slots than there are.
TEST(simulated_devices, run_as_many_invocations_at_a_time_as_they_have_slots) {
  for (const int slots : {1, 2, 3}) {
    scenario s = testing::network(1, 2000, {constant("solve", 1)});
    s.components[0].max_width = unlimited;
    s.devices = {{"gpu0", slots, {}}};
    s.components[0].second = {.device = 0, .cost = linear(0.02, 0), .slot_factors = {1, 1.25}, .from = 0};
    const simulated_result r = testing::run_on(s, on_first_core());
    EXPECT_EQ(on_device(r).seen.peak, slots);
    EXPECT_EQ(on_device(r).seen.invocations, 2000u);
    EXPECT_NEAR(r.throughput, slots / (0.02 * (slots > 1 ? 1.25 : 1)), 0.01 * r.throughput);
    EXPECT_NEAR(on_device(r).utilisation, 1, 0.01);
  }
}

// Two boxes of one device have its slots in turn.
TEST(simulated_devices, are_shared_by_components) {
  scenario s = testing::network(2, 2000, {constant("a", 1), constant("b", 1)});
  s.devices = {{"gpu0", 2, {}}};
  for (simulated_component& c : s.components) {
    c.max_width = unlimited;
    c.second = {.device = 0, .cost = linear(0.01, 0), .slot_factors = {}, .from = 0};
  }
  const simulated_result r = testing::run_on(s, testing::one_core_each(s));
  EXPECT_NEAR(r.throughput, 100, 2);
  for (const device_use& d : r.devices) EXPECT_EQ(d.seen.invocations, 2000u);
}

// A device that fails for a while loses nothing: its records run on cores. The box leaves it alone, and returns to it.
TEST(simulated_devices, that_fail_for_a_while_are_left_and_used_again) {
  scenario s = crossing(4000);
  s.devices[0].fails = {{20, 40}};
  const simulated_result r = testing::run_on(s, on_first_core());
  EXPECT_EQ(r.records, 4000u);
  const device_numbers& seen = on_device(r).seen;
  EXPECT_GE(seen.errors, 5u);   // a try after 0.1, 0.2, .. s
  EXPECT_LE(seen.errors, 30u);  // of two slots
  EXPECT_GT(part_on_device(r), 0.3);
  const simulated_result without = testing::run_on(crossing(4000), on_first_core());
  EXPECT_LT(r.throughput, without.throughput);
}

// A device that fails for ever costs tries alone: the run ends, and no slower than on cores but for one try in 30 s.
TEST(simulated_devices, that_fail_for_ever_cost_their_tries) {
  scenario s = crossing(4000), alone = s;
  s.devices[0].fails = {{0, 1e12}};
  alone.components[0].second.reset();
  const simulated_result r = testing::run_on(s, on_first_core());
  EXPECT_EQ(on_device(r).seen.invocations, on_device(r).seen.errors);
  EXPECT_GT(on_device(r).seen.errors, 0u);
  EXPECT_GT(r.throughput, 0.98 * testing::run_on(alone, on_first_core()).throughput);
}

// Order, counts and every invariant of a simulation hold for drawn chains with devices, under a rule that moves cores.
TEST(simulated_devices, keep_order_and_counts_in_drawn_networks) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    scenario s = testing::network(2 + static_cast<int>(random() % 7), 1500, {});
    s.devices = {{"gpu0", 1 + static_cast<int>(random() % 3), {}}, {"gpu1", 1, {{2, 4}}}};
    for (int i = 0; i < 3; ++i) {
      simulated_component c = constant(std::string(1, static_cast<char>('a' + i)), 1);
      c.cost = linear(testing::log_uniform(random, 1e-4, 1e-2), testing::log_uniform(random, 1e-5, 1e-3));
      c.degree = 1;
      c.noise = 0.1;
      c.max_width = unlimited;
      c.phases[0].x = {input_range::shape::log_uniform, 1, 100, {}};
      if (random() % 3 > 0)
        c.second = {.device = static_cast<int>(random() % 2),
                    .cost = linear(testing::log_uniform(random, 1e-4, 1e-2), testing::log_uniform(random, 1e-6, 1e-4)),
                    .slot_factors = {1, 1.5},
                    .from = {}};
      s.components.push_back(c);
    }
    s.validate();
    const simulated_result r = run(s, 1, contender{adaptive{}});
    EXPECT_EQ(r.records, 1500u);
    for (const device_use& d : r.devices) EXPECT_LE(d.seen.peak, s.devices[d.device].slots);
  }
}

// Phases that exchange where records are fast: the rule follows, and is worth 0.97 of the better fixed placement in
// each.
TEST(simulated_devices, follow_phases) {
  scenario s = crossing(6000);
  s.phase_starts = {0, 2000, 4000};
  s.components[0].phases = {{{input_range::shape::uniform, 10, 40, {}}, 1},
                            {{input_range::shape::uniform, 300, 1000, {}}, 1},
                            {{input_range::shape::uniform, 10, 40, {}}, 1}};
  double best = 0;
  for (double from = 10; from < 1100; from *= 1.2) best = std::max(best, throughput_from(s, from));
  EXPECT_GE(testing::run_on(s, on_first_core()).throughput, 0.97 * best);
}

// A network on a device by predict_flow against the simulation of the same placement: within 3 %.
TEST(simulated_devices, carry_what_is_predicted_of_a_placement) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> time(0.005, 0.05);
  for (int round = 0; round < 20; ++round) {
    scenario s = testing::network(2, 3000, {constant("a", time(random)), constant("b", time(random))});
    const int slots = 1 + round % 3;
    const double there = time(random);
    s.devices = {{"gpu0", slots, {}}};
    s.components[1].max_width = unlimited;
    s.components[1].second = {.device = 0, .cost = linear(there, 0), .slot_factors = {}, .from = 0};
    network_model n;
    n.devices = {{"gpu0", slots}};
    for (const simulated_component& c : s.components) {
      network_model::component& made = n.components.emplace_back();
      made.name = c.name;
      made.seconds = [t = c.second ? there : c.cost(1, 1)](int) { return t; };
      made.device = c.second ? 0 : -1;
    }
    const double predicted = predict_flow(n, {{{{0}, 1}, {{}, slots}}}, 2).throughput;
    EXPECT_NEAR(testing::run_on(s, testing::one_core_each(s)).throughput / predicted, 1, 0.03) << round;
  }
}

std::string refused(const scenario& s) {
  return testing::refusal([&] { s.validate(); });
}

TEST(simulated_devices, refuse_what_a_run_would) {
  scenario s = crossing(10);
  s.devices[0].slots = 0;
  EXPECT_EQ(refused(s), "device \"gpu0\" has 0 slots, expected were 1 to 1024");
  s = crossing(10);
  s.devices.push_back(s.devices[0]);
  EXPECT_EQ(refused(s), "two devices are called \"gpu0\"");
  s = crossing(10);
  s.components[0].second->batch_start = -1;
  EXPECT_EQ(refused(s), "component \"blur\": an invocation on its device begins with -1 s, expected was 0 to 1e+18");
  s = crossing(10);
  s.components[0].second->device = 3;
  EXPECT_EQ(refused(s), "component \"blur\": it runs on device 3 of 1");
}

}  // namespace
}  // namespace weir::simulation
