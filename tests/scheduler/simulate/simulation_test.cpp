#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "scheduler/expect/flow.hpp"
#include "scheduler/simulate/fixed_search.hpp"
#include "scheduler/simulate/hindsight.hpp"
#include "scheduler/simulate/lane_table.hpp"
#include "scheduler/simulate/simulated_network.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

namespace weir::testing {
namespace {

using namespace simulation;

// A chain of constant times is as fast as its slowest component, to the last digit. It fills, then a record leaves
// whenever the slowest is done, then it drains.
TEST(simulation, a_saturated_chain_is_as_fast_as_its_slowest) {
  const scenario s = network(3, 1000, {constant("a", 1), constant("b", 3), constant("c", 2)});
  const simulated_result r = run_on(s, one_core_each(s));
  EXPECT_DOUBLE_EQ(r.seconds, 1 + 3 * 1000 + 2);
  EXPECT_DOUBLE_EQ(r.throughput, 1000 / r.seconds);
  EXPECT_NEAR(r.utilisation[1] * 3, 3000 / r.seconds, 1e-12);
}

// M/M/1 and M/D/1 (Pollaczek and Khinchine): the waits are rho/(1 - rho) and half of that, times the mean service.
TEST(simulation, mean_waiting_times_agree_with_queueing_theory) {
  for (const bool is_exponential : {true, false}) {
    scenario s = network(1, 400'000, {is_exponential ? exponential("a") : constant("a", 1)});
    s.coming.how = arrivals::kind::profile;
    s.coming.rates = {{0, 0.7}};
    s.components[0].capacity = 1 << 20;
    const double theory = 0.7 / (1 - 0.7) * (is_exponential ? 1 : 0.5);
    const simulated_result r = run_on(s, one_core_each(s));
    EXPECT_NEAR(r.waited[0], theory, 0.03 * theory);
    EXPECT_NEAR(r.latency_mean, theory + 1, 0.03 * (theory + 1));
    EXPECT_NEAR(r.throughput, 0.7, 0.01);
  }
}

// M/D/3 outside the cores, with another component on the only core: waiting invocations keep no core busy.
TEST(simulation, what_runs_outside_the_cores_is_a_queue_of_so_many_servers) {
  scenario s = network(1, 100'000, {constant("a", 1e-3), constant("store", 1)});
  s.components[1].blocking = 3;
  s.coming.how = arrivals::kind::profile;
  s.coming.rates = {{0, 2.4}};
  s.components[1].capacity = 1 << 20;
  const allotment given{{{{0}, 1}, {{}, 3, true}}, {}};
  const simulated_result r = run_on(s, given);
  const flow expected = expected_flow(known_views(s)[0], given, 2.4);
  EXPECT_NEAR(r.waited[1], expected.sojourn[1] - 1, 0.1 * r.waited[1]);
  EXPECT_NEAR(r.latency_mean, expected.latency, 0.05 * r.latency_mean);
  EXPECT_EQ(r.utilisation[1], 0);

  s.coming = {};
  s.records = 3000;
  EXPECT_NEAR(run_on(s, given).throughput, expected.throughput, 0.01) << "as fast as three at once";
}

// Simulated rules, controller and learner also handle it, and do not explore cores that it does not need.
TEST(simulation, rules_run_where_something_runs_outside_the_cores) {
  scenario s = network(8, 500, {constant("a", .01), constant("store", .05), exponential("b")});
  s.components[1].blocking = 4;
  s.components[2].max_width = 8;
  s.validate();
  for (const policy& rule : {policy(equal_shares{}), policy(adaptive{}), policy(adaptive{objective::latency})}) {
    const simulated_result r = simulation::run(s, 1, {rule});
    EXPECT_EQ(r.records, 500u);
    for (const decision& d : r.decisions) EXPECT_TRUE(d.to.components[1].outside && d.to.components[1].cores.empty());
  }
  const hindsight known = regret_of(s, 1);
  EXPECT_TRUE(known.fixed.components[1].outside);
  EXPECT_GE(known.best_fixed.throughput * 1.05, simulation::run(s, 1, {adaptive{}}).throughput);
  EXPECT_TRUE(best_fixed_counts(known_views(network(2, 9, {s.components[1]})), {1}, 64, 3).empty());
}

// Two exponential servers of equal rate with B places between them, never starved and never blocked at the ends, have
// (B + 2)/(B + 3) of the throughput of one. Blocking is after service (Perros, Queueing Networks with Blocking).
TEST(simulation, blocking_after_service_agrees_with_the_line_of_two) {
  for (const std::size_t places : {1u, 2u, 5u}) {
    scenario s = network(2, 300'000, {exponential("a"), exponential("b")});
    s.components[1].capacity = places;
    const double theory = (static_cast<double>(places) + 2) / (static_cast<double>(places) + 3);
    EXPECT_NEAR(run_on(s, one_core_each(s)).throughput, theory, 0.01 * theory) << places;
  }
}

// The cost of a record does not depend on when or where it runs: invocations by component and record are equal on two
// allotments, and differ for another seed.
TEST(simulation, records_are_the_same_whatever_the_schedule) {
  scenario s = network(4, 500, {exponential("a"), exponential("b")});
  s.components[1].max_width = 3;
  s.components[0].noise = 0.3;
  const auto times = [&](const allotment& a, std::uint64_t seed) {
    simulated_network n(s, seed);
    n.move_to(a);
    std::vector<std::multiset<double>> seen(2);
    while (n.advance())
      if (n.ended()) seen[n.ended()->component].insert(n.ended()->seconds);
    return seen;
  };
  const allotment narrow{{{{0}, 1}, {{1}, 1}}, {}}, wide{{{{0}, 1}, {{1, 2, 3}, 3}}, {}};
  EXPECT_EQ(times(narrow, 1), times(wide, 1));
  EXPECT_NE(times(narrow, 1), times(narrow, 2));
}

// w lanes of a component that gains nothing from cores have w times the throughput. Its outputs keep their order
// although its invocations do not; the simulation itself checks that for a chain.
TEST(simulation, lanes_multiply_throughput_and_keep_order) {
  scenario s = network(5, 1000, {constant("a", 1), constant("b", 1)});
  s.components[1].max_width = 4;
  s.components[1].noise = 0.5;
  s.components[0].cost = law_cost{{0.01}, 0, 0, 0, 0, {}};
  const double one = run_on(s, {{{{0}, 1}, {{1}, 1}}, {}}).seconds;
  const double four = run_on(s, {{{{0}, 1}, {{1, 2, 3, 4}, 4}}, {}}).seconds;
  EXPECT_GT(one / four, 3.5);
  EXPECT_LE(one / four, 4.01);
}

// The shared group on s cores takes max(sum / s, largest) per record, as in expected_times. On an owner's core the
// owner takes its own time plus the group's.
TEST(simulation, the_shared_group_takes_what_is_expected_of_it) {
  const double n = 2000;
  const scenario s = network(3, 2000, {constant("own", 1), constant("m1", 3), constant("m2", 1), constant("m3", 1)});
  EXPECT_NEAR(run_on(s, {{{{0}, 1}, {}, {}, {}}, {1}}).seconds / n, 5, 0.02);
  EXPECT_NEAR(run_on(s, {{{{0}, 1}, {}, {}, {}}, {1, 2}}).seconds / n, 3, 0.02);
  EXPECT_NEAR(run_on(s, {{{{0}, 1}, {}, {}, {}}, {0}}).seconds / n, 6, 0.02);
  EXPECT_NEAR(run_on(s, {{{{0}, 1}, {{1}, 1}, {}, {}}, {0}}).seconds / n, 3, 0.02);
}

// A move waits for the running invocation and costs move_cost; its first invocation is marked as after a move.
TEST(simulation, a_move_costs_what_it_says) {
  scenario s = network(2, 100, {constant("a", 1)});
  s.components[0].cost = law_cost{{1}, 1, 0, 0, 0, {}};
  s.move_cost = 10;
  const std::vector<planned_move> plan{{0, false, {{{{0}, 1}}, {}}}, {50, true, {{{{0, 1}, 1}}, {}}}};
  const simulated_result r = run(s, 1, plan);
  EXPECT_DOUBLE_EQ(r.seconds, 51 + 10 + 49 * 0.5);
  EXPECT_EQ(r.moves, 1u);

  simulated_network n(s, 1);
  n.move_to(plan[0].to);
  bool has_moved = false;
  int after = 0;
  while (n.advance()) {
    if (n.ended() && n.ended()->after_move) ++after;
    if (!has_moved && n.flow().left() == 50) n.move_to(plan[1].to), has_moved = true;
  }
  EXPECT_EQ(after, 1);
}

// A core that changes hands must first be free. Its new owner waits for the longest invocation on it, while components
// that keep their cores continue.
TEST(simulation, a_move_waits_for_the_cores_it_takes) {
  scenario s = network(4, 60, {constant("long", 100), constant("short", 1), constant("other", 1)});
  simulated_network n(s, 1);
  n.move_to({{{{0, 1}, 1}, {{2}, 1}, {{3}, 1}}, {}});
  while (n.flow().left() < 2) n.advance();
  const double decided = n.time();
  n.move_to({{{{0}, 1}, {{1, 2}, 1}, {{3}, 1}}, {}});
  EXPECT_TRUE(n.is_moving());
  while (n.is_moving()) n.advance();
  EXPECT_GE(n.time(), decided + 90);  // the long one had just begun another invocation
  while (n.advance()) {
  }
  EXPECT_EQ(n.flow().left(), 60u);
}

TEST(simulation, an_allotment_that_check_refuses_is_a_violated_invariant) {
  const scenario s = network(2, 10, {constant("a", 1), constant("b", 1)});
  EXPECT_THROW(run_on(s, {{{{0, 1}, 1}, {{1}, 1}}, {}}), std::logic_error);
  EXPECT_THROW(run_on(s, {{{{0}, 1}, {{2}, 1}}, {}}), std::logic_error);
}

// A record that goes back with probability q runs 1/(1 - q) times. Each of two ways is taken with its probability. A
// fan-out is joined again, one record for one. Nothing is lost on the way (checked by the simulation).
TEST(simulation, routing_gains_feedback_and_joins) {
  scenario back = network(1, 20'000, {constant("a", 1)});
  back.components[0].chooses = true;
  back.links = {{-1, 0, 1}, {0, 0, 0.25}, {0, -1, 0.75}};
  simulated_network n(back, 3);
  n.move_to(one_core_each(back));
  while (n.advance()) {
  }
  EXPECT_NEAR(static_cast<double>(n.flow().taken(0)), 20'000 / 0.75, 250);  // 3 standard deviations
  EXPECT_NEAR(visits_of(back, n.flow().sent())[0], 1 / 0.75, 0.02);

  scenario diamond = network(4, 1000, {constant("a", 1), exponential("b"), exponential("c"), constant("d", 1)});
  diamond.components[3].joins = true;
  diamond.links = {{-1, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {2, 3, 1}, {3, -1, 1}};
  diamond.validate();
  simulated_network both(diamond, 3);
  both.move_to(one_core_each(diamond));
  while (both.advance()) {
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(both.flow().taken(i), 1000u);

  scenario gain = network(3, 10'000, {constant("a", 1), constant("b", 1), constant("c", 1)});
  gain.links = {{-1, 0, 1}, {0, 1, 1.5}, {0, 2, 0.2}, {1, -1, 1}};
  simulated_network some(gain, 3);
  some.move_to(one_core_each(gain));
  while (some.advance()) {
  }
  EXPECT_NEAR(static_cast<double>(some.flow().taken(1)), 15'000, 150);
  EXPECT_NEAR(static_cast<double>(some.flow().taken(2)), 2'000, 120);
}

// If records wait for each other for ever, the simulation says where they are.
TEST(simulation, a_standstill_names_where_records_wait) {
  scenario s = network(3, 1000, {constant("a", 1), constant("b", 1), constant("c", 1)});
  s.components[2].joins = true;
  s.links = {{-1, 0, 1}, {0, 1, 0.5}, {0, 2, 1}, {1, 2, 1}, {2, -1, 1}};
  EXPECT_NE(refusal([&] { run_on(s, one_core_each(s)); }).find("\"c\""), std::string::npos);
}

// The k-th record comes when the area under the rate is k: evenly at a constant rate, closer and closer on a ramp.
TEST(arrivals, follow_the_rate) {
  arrivals even;
  even.how = arrivals::kind::profile;
  even.poisson = false;
  even.rates = {{0, 2}};
  arrival_times a(even, 1);
  EXPECT_DOUBLE_EQ(a.next(), 0.5);
  EXPECT_DOUBLE_EQ(a.next(), 1);

  even.rates = {{0, 1}, {10, 1}, {10, 4}};
  arrival_times step(even, 1);
  for (int i = 1; i <= 10; ++i) EXPECT_NEAR(step.next(), i, 1e-9);
  EXPECT_NEAR(step.next(), 10.25, 1e-9);

  even.rates = {{0, 0}, {10, 2}};  // the area up to t is t^2 / 10
  arrival_times ramp(even, 1);
  for (int i = 1; i <= 10; ++i) EXPECT_NEAR(ramp.next(), std::sqrt(10.0 * i), 1e-9);
  EXPECT_NEAR(ramp.next(), 10.5, 1e-9);

  even.poisson = true;
  even.rates = {{0, 5}, {100, 5}, {100, 50}};
  arrival_times random(even, 7);
  int before = 0, count = 0;
  for (double t; (t = random.next()) < 200; ++count) before += t < 100 ? 1 : 0;
  EXPECT_NEAR(before, 500, 70);
  EXPECT_NEAR(count - before, 5000, 220);
}

TEST(cost_truth, recorded_times_are_interpolated) {
  const cost_truth t = recorded_cost({{10, 1, 1}, {10, 1, 3}, {20, 1, 4}, {10, 4, 1}});
  EXPECT_DOUBLE_EQ(t(10, 1), 2);
  EXPECT_DOUBLE_EQ(t(15, 1), 3);
  EXPECT_DOUBLE_EQ(t(30, 1), 4);
  EXPECT_DOUBLE_EQ(t(10, 8), 1);
  EXPECT_DOUBLE_EQ(t(10, 2), 1 + (0.5 - 0.25) / 0.75);
}

TEST(scenario, what_cannot_be_is_named) {
  scenario s = network(2, 10, {constant("a", 1), constant("a", 1)});
  EXPECT_NE(refusal([&] { s.validate(); }).find("two components are called \"a\""), std::string::npos);
  s.components[1].name = "b";
  s.components[1].late.exponent = 1;
  EXPECT_NE(refusal([&] { s.validate(); }).find("component \"b\": outliers: exponent is 1"), std::string::npos);
  s.components[1].late.exponent = 1.5;
  s.links = {{-1, 0, 1}, {0, 1, 1}};
  EXPECT_NE(refusal([&] { s.validate(); }).find("none goes to the output"), std::string::npos);
}

}  // namespace
}  // namespace weir::testing
