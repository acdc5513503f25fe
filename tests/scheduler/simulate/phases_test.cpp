#include <gtest/gtest.h>

#include <cmath>

#include <weir/model/named/estimators.hpp>
#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "scheduler/simulate/hindsight.hpp"
#include "scheduler/simulate/random_scenario.hpp"
#include "scheduler/simulate/simulated_network.hpp"
#include "scheduler/simulate/slow_periods.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

namespace weir::testing {
namespace {

using namespace simulation;

input_range always(double value) { return {input_range::shape::uniform, value, value, {}}; }

// Three components; the first sends all records of phase 0 to the second and all of phase 1 to the third.
scenario rerouted(std::uint64_t records, std::uint64_t start) {
  scenario s = network(3, records, {constant("a", 1), constant("b", 2), constant("c", 3)});
  s.components[0].chooses = true;
  s.links = {{-1, 0, 1}, {0, 1, 1}, {0, 2, 0}, {1, -1, 1}, {2, -1, 1}};
  s.phase_starts = {0, start};
  s.phases = {{}, {0, {1, 0, 1, 1, 1}}};
  s.validate();
  return s;
}

// A record follows the links of the phase that it entered in, whenever it comes to them.
TEST(phases, a_record_goes_the_ways_of_its_phase) {
  const scenario s = rerouted(1000, 300);
  simulated_network n(s, 1);
  n.move_to(one_core_each(s));
  while (n.advance()) {
  }
  EXPECT_EQ(n.flow().taken(1), 300u);
  EXPECT_EQ(n.flow().taken(2), 700u);
}

// The counts of records on links follow a change of routing: long after it, a link without records counts as empty.
// The links that hindsight knows are those of each phase.
TEST(phases, counts_of_records_follow_a_change_of_routing) {
  const scenario s = rerouted(12'000, 4'000);
  simulated_network n(s, 1);
  n.move_to(one_core_each(s));
  while (n.advance()) {
  }
  const std::vector<link> sent = n.flow().sent();
  EXPECT_NEAR(sent[1].records, 0, 0.01);  // without forgetting: a third
  EXPECT_NEAR(sent[2].records, 1, 0.01);
  const std::vector<system_view> known = known_views(s);
  EXPECT_EQ(known[0].components[1].visits, 1);
  EXPECT_EQ(known[0].components[2].visits, 0);
  EXPECT_EQ(known[1].components[1].visits, 0);
  EXPECT_EQ(known[1].components[2].visits, 1);
}

scenario with_a_quota(double move_cost) {
  scenario s = network(9, 900, {constant("a", 1), constant("b", 2), constant("c", 3)});
  for (simulated_component& c : s.components) {
    c.cost = law_cost{{0, 1}, 0.98, 0, 0, 0, {}};
    c.noise = 0.1;
  }
  s.phase_starts = {0, 250, 260, 600};
  s.phases = {{}, {4, {}}, {}, {3, {}}};
  s.move_cost = move_cost;
  s.validate();
  return s;
}

// Rules are told of other cores as soon as they change, and then give away present cores only. So it is also where
// cores change while a move is under way.
TEST(phases, allotments_are_on_the_cores_that_there_are) {
  for (const double move_cost : {0.0, 5.0, 500.0})
    for (const policy& rule : {policy(equal_shares{}), policy(adaptive{}), policy(adaptive{objective::latency})}) {
      const scenario s = with_a_quota(move_cost);
      const simulated_result r = run(s, 1, {rule});
      EXPECT_EQ(r.records, 900u);
      int cores = 9;
      std::vector<int> seen{cores};
      for (const decision& d : r.decisions) {
        const std::string words = "the run may now use cores ";
        if (d.why.rfind(words, 0) == 0)
          seen.push_back(cores = d.why == words + "0-8" ? 9 : d.why == words + "0-3" ? 4 : 3);
        EXPECT_EQ(check(d.to, core_set::range(0, cores)), "") << d.why;
      }
      // Ten records last for less than a move of 500 s, so that one may have missed their end.
      if (move_cost < 500) {
        EXPECT_EQ(seen, (std::vector<int>{9, 4, 9, 3})) << rule.name();
      }
      EXPECT_EQ(seen.back(), 3);
    }
}

// No invocation begins on a core that was taken away once the move that gives it up is through.
TEST(phases, cores_that_were_taken_away_are_idle) {
  scenario s = with_a_quota(0);
  s.phase_starts = {0, 300};
  s.phases = {{}, {3, {}}};
  simulated_network n(s, 1);
  n.move_to({{{{0, 1, 2}, 1}, {{3, 4, 5}, 1}, {{6, 7, 8}, 1}}, {}});
  bool has_moved = false;
  double through = -1;
  int begun = 0;
  while (n.advance()) {
    if (!has_moved && n.cores().size() == 3) n.move_to(one_core_each(s)), has_moved = true;
    if (has_moved && through < 0 && !n.is_moving()) through = n.time();
    if (!n.ended() || through < 0 || n.ended()->start < through) continue;
    EXPECT_LT(n.ended()->first_core, 3u);
    EXPECT_EQ(n.ended()->cores, 1);
    ++begun;
  }
  EXPECT_GT(begun, 1000);
}

// An allotment with cores that there are no more, or not yet, is refused.
TEST(phases, a_move_to_cores_that_are_not_there_is_a_violated_invariant) {
  scenario s = network(2, 10, {constant("a", 1)});
  s.phase_starts = {0, 5};
  s.phases = {{1, {}}, {}};
  simulated_network n(s, 1);
  EXPECT_THROW(n.move_to({{{{0, 1}, 1}}, {}}), std::logic_error);
}

// With other cores in some phases, the best fixed division is one for each number of cores: no pair of divisions is
// better, and the clairvoyant is no worse. Times do not vary.
TEST(phases, best_fixed_is_the_best_division_for_each_number_of_cores) {
  scenario s = network(7, 600, {constant("a", 1), constant("b", 1)});
  s.components[0].cost = law_cost{{1}, 1, 0, 0, 0, {}};
  s.components[1].cost = law_cost{{2.4}, 1, 0, 0, 0, {}};
  s.phase_starts = {0, 200, 400};
  s.phases = {{}, {4, {}}, {}};
  const hindsight known = regret_of(s, 1);
  EXPECT_EQ(known.best_fixed.moves, 2u);
  EXPECT_GE(known.clairvoyant.throughput, known.best_fixed.throughput);
  int tried = 0;
  for (int many = 1; many < 7; ++many)
    for (int few = 1; few < 4; ++few, ++tried) {
      const allotment on_all{{{core_set::range(0, many), 1}, {core_set::range(many, 7 - many), 1}}, {}},
          on_four{{{core_set::range(0, few), 1}, {core_set::range(few, 4 - few), 1}}, {}};
      const std::vector<planned_move> plan{{0, false, on_all}, {200, false, on_four}, {400, false, on_all}};
      EXPECT_LE(run(s, 1, plan).throughput, known.best_fixed.throughput * (1 + 1e-9)) << many << " and " << few;
    }
  EXPECT_EQ(tried, 18);
}

// A period slows down the listed components alone, all at the same time, in the listed phases, for as long as it lasts.
TEST(slow_periods, are_the_same_for_all_that_they_concern) {
  scenario s = network(3, 10, {constant("a", 1), constant("b", 1), constant("c", 1)});
  s.phase_starts = {0, 5};
  s.slow_downs = {{{0, 2}, always(3), always(10), always(5), {}}, {{}, always(2), always(12), always(100), {1}}};
  s.validate();
  slow_periods slow(s, 1);
  for (const auto& [time, factor] : std::vector<std::pair<double, double>>{
           {0, 1}, {9.9, 1}, {10, 3}, {14.9, 3}, {15, 1}, {24.9, 1}, {25, 3}, {29, 3}, {30, 1}}) {
    EXPECT_EQ(slow.factor(0, time, 0), factor) << time;
    EXPECT_EQ(slow.factor(1, time, 0), 1) << time;
    EXPECT_EQ(slow.factor(2, time, 0), factor) << time;
    const double other = time < 12 ? 1 : 2;
    EXPECT_EQ(slow.factor(0, time, 1), factor * other) << time;
    EXPECT_EQ(slow.factor(1, time, 1), other) << time;
  }
  EXPECT_DOUBLE_EQ(mean_slow_down(s, 0, 0), 1 / (1 - 1. / 3 + 1. / 9));
  EXPECT_EQ(mean_slow_down(s, 1, 0), 1);
}

// Drawn periods take the part of the time that their distributions say, and come at the same times for equal seeds.
TEST(slow_periods, follow_from_seed_and_time) {
  scenario s = network(1, 10, {constant("a", 1)});
  const input_range of_30{input_range::shape::exponential, 30, 0, {}},
      of_10{input_range::shape::exponential, 10, 0, {}};
  s.slow_downs = {{{}, always(2), of_30, of_10, {}}};
  slow_periods fine(s, 1), coarse(s, 1), other(s, 2);
  int slow = 0, differs = 0;
  for (int t = 0; t < 400'000; ++t) {
    const bool is_slow = fine.factor(0, t, 0) > 1;
    slow += is_slow;
    if (t % 1000 == 0) {
      EXPECT_EQ(coarse.factor(0, t, 0) > 1, is_slow) << t;
    }
    differs += (other.factor(0, t, 0) > 1) != is_slow;
  }
  EXPECT_NEAR(slow / 400'000., 0.25, 0.015);  // 10 000 periods: three standard deviations
  EXPECT_GT(differs, 100'000);
}

// Invocations that begin in a period take its factor, to their end.
TEST(slow_periods, multiply_the_times_of_invocations_that_begin_in_them) {
  scenario s = network(1, 14, {constant("a", 1)});
  s.slow_downs = {{{}, always(3), always(10), always(5), {}}};
  EXPECT_DOUBLE_EQ(run_on(s, one_core_each(s)).seconds, 10 * 1 + 2 * 3 + 2 * 1);
}

// Impossible phases are named with their place.
TEST(phases, what_cannot_be_is_named) {
  const auto expect = [](const scenario& s, const std::string& part) {
    EXPECT_NE(refusal([&] { s.validate(); }).find(part), std::string::npos) << refusal([&] { s.validate(); });
  };
  scenario s = rerouted(100, 50);
  s.phases[1].cores = 4;
  expect(s, "phase 1: cores is 4, expected was 1 to the scenario's 3");
  s = rerouted(100, 50);
  s.phases[1].records[1] = 0.5;
  expect(s, "phase 1: component \"a\" chooses: the probabilities of its links sum to 1.5");
  s = rerouted(100, 50);
  s.phases.pop_back();
  expect(s, "there are changes for 1 phases of 2");
  s = rerouted(100, 50);
  s.slow_downs = {{{}, always(2), always(0), always(1), {}}};
  expect(s, "slow_downs[0]: every may be 0, expected was 1e-06 or more");
  s.slow_downs = {{{}, always(2), always(1), always(1), {2}}};
  expect(s, "slow_downs[0]: there is no phase 2");
}

// For an objective of latency, the best in hindsight is judged by latency. It is no slower than the allotment with the
// most records a second, nor than the rule's choice when it knows the truth.
TEST(hindsight, is_judged_by_the_objective) {
  workload w;
  w.what = workload::kind::k0;
  w.cores = 12;
  w.stages = 3;
  w.records = 300;
  const scenario s = random_scenario(w, 3);
  const hindsight most = regret_of(s, 3), quickest = regret_of(s, 3, 0, objective::latency);
  EXPECT_LE(quickest.best_fixed.latency_mean, most.best_fixed.latency_mean);
  EXPECT_GE(most.best_fixed.throughput, quickest.best_fixed.throughput);
  const allotment asked = adaptive{objective::latency}.decide(known_views(s)[0]);
  EXPECT_LE(quickest.best_fixed.latency_mean, run_on(s, asked, 3).latency_mean);
}

// A run that starts from models needs no observations to begin with the division that the rule chooses when it knows
// the truth. One without begins with equal shares.
TEST(simulation, starts_from_models) {
  workload w;
  w.what = workload::kind::k0;
  w.cores = 16;
  w.stages = 3;
  w.records = 300;
  const scenario s = random_scenario(w, 2);
  contender fresh{adaptive{}}, taught = fresh;
  for (const simulated_component& c : s.components) {
    const auto model = make_estimator("weir", degree{c.degree});
    for (int k = 0; k < 400; ++k) {
      observation seen;
      seen.x = c.phases[0].x.at((k + 0.5) / 400);
      seen.cores = 1 + k % 16;
      seen.seconds = c.cost(seen.x, seen.cores);
      seen.start = k;
      model->observe(seen);
    }
    taught.prior[c.name] = model->clone();
  }
  const simulated_result without = run(s, 2, fresh), with = run(s, 2, taught);
  const system_view known = known_views(s)[0];
  EXPECT_EQ(without.decisions[0].to, equal_shares{}.decide(known));
  const adaptive rule;
  EXPECT_LE(rule.assess(known, with.decisions[0].to).cost, 1.02 * rule.assess(known, rule.decide(known)).cost);
  EXPECT_GT(rule.assess(known, without.decisions[0].to).cost, 1.1 * rule.assess(known, rule.decide(known)).cost);
  EXPECT_GT(with.throughput, without.throughput);
}

}  // namespace
}  // namespace weir::testing
