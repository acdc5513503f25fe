#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "scheduler/simulate/hindsight.hpp"
#include "tests/scheduler/simulate/odd_scenarios.hpp"
#include "tests/support/sanitizers.hpp"

// Drawn streams, none of which anything was tuned on: WEIR_DRAWN_STREAMS of them.
namespace weir::testing {
namespace {

using namespace simulation;

// The stated bound (scheduler/control/README.md): the loss against equal shares is never more than a seventh of the
// run, and seldom more than a twentieth. And not much against the best of equal shares and all the allotments that the
// run had, each held for the whole of it.
TEST(adaptive_on_streams_of_every_kind, is_not_below_equal_shares_nor_far_below_the_best_that_it_has_seen) {
  std::vector<double> over_equal, over_seen;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(fewer(WEIR_DRAWN_STREAMS)); ++seed) {
    SCOPED_TRACE(seed);
    const scenario s = odd_scenario(seed);
    s.validate();
    const simulated_result adapted = simulation::run(s, 1, contender{adaptive{objective::throughput}});
    double best = simulation::run(s, 1, contender{equal_shares{}}).throughput;
    over_equal.push_back(adapted.throughput / best);
    EXPECT_GT(over_equal.back(), 6 / 7.0);
    if (seed > static_cast<std::uint64_t>(fewer(WEIR_DRAWN_STREAMS / 8))) continue;  // the rest takes long
    std::vector<allotment> had;
    for (const decision& d : adapted.decisions)
      if (std::find(had.begin(), had.end(), d.to) == had.end()) had.push_back(d.to);
    for (const allotment& one : had) best = std::max(best, run_on(s, one).throughput);
    over_seen.push_back(adapted.throughput / best);
  }
  const auto quantile = [](std::vector<double>& of, double part) {
    std::sort(of.begin(), of.end());
    return of[static_cast<std::size_t>(part * static_cast<double>(of.size() - 1))];
  };
  EXPECT_GT(quantile(over_equal, .05), 0.95);
  EXPECT_GT(quantile(over_equal, .5), over_equal.size() < 20 ? 1.1 : 1.2);  // of a few, medians vary
  EXPECT_GT(quantile(over_seen, .1), 0.8);
  EXPECT_GT(quantile(over_seen, .5), over_seen.size() < 20 ? 0.9 : 0.96);
}

}  // namespace
}  // namespace weir::testing
