#include "scheduler/simulate/hindsight.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "scheduler/expect/expectation.hpp"
#include "scheduler/simulate/fixed_search.hpp"
#include "scheduler/simulate/random_scenario.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir::testing {
namespace {

using namespace simulation;

contender adaptive_contender(simulated_network::predictor shown = simulated_network::predictor::known) {
  return {adaptive{objective::throughput}, {}, "weir", shown};
}

workload small(workload::kind what) {
  workload w;
  w.what = what;
  w.stages = 4;
  w.cores = 9;
  w.records = 400;
  return w;
}

constexpr workload::kind kinds[] = {workload::kind::k0, workload::kind::k1, workload::kind::k2, workload::kind::k3,
                                    workload::kind::k4};

// Every way to give all cores to four components with at least one core each.
std::vector<allotment> compositions_of(int cores) {
  std::vector<allotment> all;
  for (int a = 1; a < cores; ++a)
    for (int b = 1; a + b < cores; ++b)
      for (int c = 1; a + b + c < cores; ++c) {
        allotment one;
        int first = 0;
        for (int n : {a, b, c, cores - a - b - c}) {
          one.components.push_back({core_set::range(first, n), 1});
          first += n;
        }
        all.push_back(one);
      }
  return all;
}

// The clairvoyant, which knows the phases, does at least as well as the best fixed allotment, which does at least as
// well as any other. If neither x nor times vary, no allotment at all is better, except while the network fills and
// drains. A slower component at the end drains later.
TEST(hindsight, clairvoyant_is_no_worse_than_best_fixed_nor_that_than_any_fixed) {
  for (workload::kind what : kinds)
    for (std::uint64_t seed : {1u, 2u}) {
      scenario s = random_scenario(small(what), seed);
      for (simulated_component& c : s.components) {
        c.noise = 0;
        c.late.part = 0;
        for (simulated_component::phase& p : c.phases) p.x = {input_range::shape::uniform, p.x.high, p.x.high, {}};
      }
      const hindsight h = regret_of(s, seed);
      EXPECT_GE(h.clairvoyant.throughput, h.best_fixed.throughput);
      for (const allotment& a : compositions_of(s.cores))
        EXPECT_LE(run_on(s, a, seed).throughput, h.best_fixed.throughput * 1.01)
            << to_string(what) << " seed " << seed << ": " << to_string(a, {"a", "b", "c", "d"}) << " beats "
            << to_string(h.fixed, {"a", "b", "c", "d"});
    }
}

// The search finds the optimum of trying everything: no division of all cores has a smaller sum of bottlenecks. The
// norm allows a factor for the largest of four times, 4^(1/64). The reported cost is the true cost.
TEST(hindsight, the_search_agrees_with_trying_everything) {
  for (workload::kind what : kinds)
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const std::vector<system_view> views = known_views(random_scenario(small(what), seed));
      const std::vector<double> weights(views.size(), 1);
      const auto cost = [&](const allotment& a) {
        double sum = 0;
        for (const system_view& v : views) sum += expected_times(v, a).bottleneck;
        return sum;
      };
      const std::vector<fixed_choice> found = best_fixed_counts(views, weights, 64, 1);
      ASSERT_EQ(found.size(), 1u);
      const double chosen = cost(place(found[0].counts, views[0]));
      EXPECT_GE(found[0].seconds, chosen * (1 - 1e-9));
      EXPECT_LE(found[0].seconds, chosen * std::pow(4, 1.0 / 64) * (1 + 1e-9));
      for (const allotment& a : compositions_of(9)) EXPECT_LE(chosen, cost(a) * std::pow(4, 1.0 / 64) * 1.001);
    }
}

// If everything varies, luck decides between equally good allotments. Here 400 records have deviations of about half
// their mean: a standard error of 2.5 %.
TEST(hindsight, no_fixed_allotment_beats_best_fixed_by_more_than_luck) {
  for (workload::kind what : kinds) {
    const scenario s = random_scenario(small(what), 7);
    const hindsight h = regret_of(s, 7);
    EXPECT_GE(h.clairvoyant.throughput, h.best_fixed.throughput);
    for (const allotment& a : compositions_of(s.cores))
      EXPECT_LE(run_on(s, a, 7).throughput, h.best_fixed.throughput * 1.05) << to_string(what);
  }
}

// The clairvoyant moves if phases differ and moves are cheap, and stays if they do not pay.
TEST(hindsight, the_clairvoyant_moves_only_where_it_pays) {
  workload w = small(workload::kind::k1);
  w.move_cost = 0;
  const hindsight cheap = regret_of(random_scenario(w, 3), 3);
  EXPECT_GE(cheap.clairvoyant.moves, 1u);
  EXPECT_GT(cheap.clairvoyant.throughput, 1.01 * cheap.best_fixed.throughput);
  w.move_cost = 1e6;
  const hindsight dear = regret_of(random_scenario(w, 3), 3);
  EXPECT_EQ(dear.clairvoyant.moves, 0u);
  EXPECT_EQ(dear.clairvoyant.throughput, dear.best_fixed.throughput);
  EXPECT_EQ(regret_of(random_scenario(small(workload::kind::k0), 3), 3).clairvoyant.moves, 0u);
}

// With lanes allowed, the clairvoyant is at least as fast as without: width 1 is one of the choices.
TEST(hindsight, width_that_is_allowed_only_helps) {
  workload w = small(workload::kind::k1);
  const double narrow = regret_of(random_scenario(w, 5), 5).clairvoyant.throughput;
  w.max_width = 4;
  EXPECT_GT(regret_of(random_scenario(w, 5), 5).clairvoyant.throughput, narrow);
}

// If a move costs more than the run can earn, an adaptive policy keeps its start: it equals equal shares, to the last
// digit.
TEST(simulated_run, at_an_infinite_cost_of_moves_adaptive_is_equal_shares) {
  workload w = small(workload::kind::k1);
  w.move_cost = 1e300;
  const scenario s = random_scenario(w, 4);
  const simulated_result moving = run(s, 4, adaptive_contender());
  EXPECT_EQ(moving.moves, 0u);
  EXPECT_EQ(moving.seconds, run(s, 4, contender{equal_shares{}}).seconds);
}

// With free moves a policy is at least as fast as with moves that cost the time of ten records, except for luck.
TEST(simulated_run, at_no_cost_of_moves_adaptive_is_at_least_as_fast) {
  double free = 0, dear = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    workload w = small(workload::kind::k1);
    w.move_cost = 0;
    free += std::log(run(random_scenario(w, seed), seed, adaptive_contender()).throughput);
    w.move_cost = 5;
    dear += std::log(run(random_scenario(w, seed), seed, adaptive_contender()).throughput);
  }
  EXPECT_GE(free, dear);
}

// Once it has learnt, an adaptive policy is much faster than equal shares and never much faster than the clairvoyant.
TEST(simulated_run, adaptive_lies_between_equal_shares_and_the_clairvoyant) {
  for (std::uint64_t seed = 1; seed <= (testing::slow ? 1 : 3); ++seed) {
    workload w;
    w.records = testing::slow ? 400 : 1000;
    w.cores = 16;
    const scenario s = random_scenario(w, seed);
    const double best = regret_of(s, seed).clairvoyant.throughput;
    const double seen = run(s, seed, adaptive_contender()).throughput;
    EXPECT_GT(seen, 1.05 * run(s, seed, contender{equal_shares{}}).throughput);
    EXPECT_LT(seen, 1.03 * best);
    EXPECT_GT(seen, 0.8 * best);
  }
}

// The same scenario and seed give the same run to the last digit.
TEST(simulated_run, is_deterministic) {
  const scenario s = random_scenario(small(workload::kind::k4), 9);
  const simulated_result a = run(s, 9, adaptive_contender(), 20), b = run(s, 9, adaptive_contender(), 20);
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.latency_p99, b.latency_p99);
  ASSERT_EQ(a.decisions.size(), b.decisions.size());
  for (std::size_t i = 0; i < a.decisions.size(); ++i) {
    EXPECT_EQ(a.decisions[i].to, b.decisions[i].to);
    EXPECT_EQ(a.decisions[i].time, b.decisions[i].time);
  }
  EXPECT_GE(a.timeline.size(), 20 * s.components.size());
}

// K2 has the components of K1 with a bent cost; every phase of K1 draws x anew.
TEST(random_scenario, workloads_of_a_seed_differ_only_by_what_they_add) {
  const scenario k1 = random_scenario(small(workload::kind::k1), 5), k2 = random_scenario(small(workload::kind::k2), 5);
  bool bends = false;
  for (std::size_t i = 0; i < k1.components.size(); ++i) {
    EXPECT_EQ(k1.components[i].cost(1000, 1), k2.components[i].cost(1000, 1));
    bends = bends || k1.components[i].cost(1000, 9) != k2.components[i].cost(1000, 9);
    EXPECT_NE(k1.components[i].phases[0].x.low, k1.components[i].phases[1].x.low);
  }
  EXPECT_TRUE(bends);
  EXPECT_EQ(k1.phase_starts, (std::vector<std::uint64_t>{0, 100, 200, 300}));
  EXPECT_EQ(random_scenario(small(workload::kind::k0), 5).phase_starts.size(), 1u);
}

}  // namespace
}  // namespace weir::testing
