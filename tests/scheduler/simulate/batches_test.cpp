#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "scheduler/simulate/simulated_run.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

// Components whose invocations take several records.
namespace weir::simulation {
namespace {

// 8 s for an invocation and 1 s for each record of it.
scenario engine(int most, std::uint64_t records, int lanes = 1) {
  scenario s = testing::network(lanes, records, {testing::constant("engine", 1)});
  s.components[0].most_in_batch = most;
  s.components[0].batch_start = 8;
  s.components[0].max_width = lanes;
  s.components[0].sequential = true;
  return s;
}

TEST(simulated_batches, share_what_an_invocation_takes_besides_its_records) {
  EXPECT_NEAR(testing::run_on(engine(1, 200), {{{{0}, 1}}, {}}).throughput, 1 / 9.0, 1e-3);
  const double best = 32 / (8 + 32.0);
  const double learnt = testing::run_on(engine(32, 20'000), {{{{0}, 1}}, {}}).throughput;
  EXPECT_GT(learnt, .95 * best);
  EXPECT_LE(learnt, best);
}

// Records that come seldom do not wait for others.
TEST(simulated_batches, do_not_wait_for_records) {
  scenario s = engine(32, 500);
  s.coming.how = arrivals::kind::profile;
  s.coming.rates = {{0, .02}};
  s.coming.poisson = false;
  EXPECT_NEAR(testing::run_on(s, {{{{0}, 1}}, {}}).latency_p99, 9, 1e-9);
}

// Cores go by the time of a record in batches, as it is learnt: the engine's is near that of its neighbour.
TEST(simulated_batches, are_what_cores_are_divided_by) {
  scenario s = engine(32, 20'000);
  s.cores = 8;
  s.components[0].max_width = unlimited;
  s.components.push_back(testing::constant("next", 1.25));
  s.components.back().max_width = unlimited;
  s.components.back().sequential = true;
  s.validate();
  const double best = 4 / 1.25;  // four cores for each
  EXPECT_GT(run(s, 1, contender{adaptive{}}).throughput, .93 * best);
}

}  // namespace
}  // namespace weir::simulation
