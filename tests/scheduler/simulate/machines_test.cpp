#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "scheduler/predict/cluster_flow.hpp"
#include "scheduler/simulate/placed_scenario.hpp"
#include "scheduler/simulate/simulated_run.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

namespace weir::testing {
namespace {

using namespace simulation;

simulated_component taking(std::string name, double seconds, int width = 1) {
  simulated_component c;
  c.name = std::move(name);
  c.cost = [seconds](double, int) { return seconds; };
  c.max_width = width;
  return c;
}

// A chain on machines with these cores, always another record waiting to enter.
placed_scenario chain(std::vector<simulated_component> components, std::vector<int> at, std::vector<int> cores,
                      machine_link usual) {
  placed_scenario s;
  s.network.components = std::move(components);
  s.network.records = 2000;
  s.at = std::move(at);
  s.machines.cores = std::move(cores);
  s.machines.usual = usual;
  return s;
}

double simulated(const placed_scenario& s, const policy& rule) {
  s.validate();
  const scenario spread = spread_over_machines(s);
  spread.validate();
  return run(spread, 1, contender{rule}).throughput;
}
double predicted(const placed_scenario& s) { return predict_on_machines(model_of(s)).predicted.throughput; }

// A link is a server of its own: whichever of the components, the bytes and the credit is slowest, a saturated stream
// is as fast as the prediction says.
TEST(machines, a_simulated_chain_is_as_fast_as_predicted) {
  placed_scenario s = chain({taking("a", 1e-3), taking("b", 2e-3)}, {0, 1}, {1, 1}, {1e-4, 1e-5, 1e9});
  EXPECT_NEAR(simulated(s, equal_shares{}), 500, 5);
  EXPECT_NEAR(predicted(s), 500, 1e-6);
  s.bytes = {0, 5e6, 0};  // 5 ms each
  EXPECT_NEAR(simulated(s, equal_shares{}) / predicted(s), 1, .01);
  EXPECT_NEAR(predicted(s), 1 / 5.01e-3, 1);
  s.bytes = {};
  s.machines.usual.latency = .1;
  s.machines.window_records = 20;  // 10 under way for 0.1 s
  EXPECT_NEAR(simulated(s, equal_shares{}) / predicted(s), 1, .02);
  EXPECT_NEAR(predicted(s), 100, 1e-6);
}

// A record alone takes as long as predicted.
TEST(machines, the_latency_of_a_record_alone_is_as_predicted) {
  placed_scenario s = chain({taking("a", 1e-3), taking("b", 2e-3)}, {1, 2}, {1, 1, 1}, {3e-3, 1e-3, 1e6});
  s.bytes = {1000, 1000, 1000};
  s.network.records = 100;
  s.network.coming.how = arrivals::kind::profile;
  s.network.coming.rates = {{0, 1}};
  s.network.coming.poisson = false;
  s.validate();
  const scenario spread = spread_over_machines(s);
  const double alone = predict_on_machines(model_of(s)).predicted.latency;
  EXPECT_NEAR(alone, 3e-3 + 4 * 5e-3, 1e-9);  // to 1, back to 0, to 2, back to 0
  EXPECT_NEAR(run(spread, 1, contender{equal_shares{}}).latency_mean, alone, 1e-6);
}

// Components everywhere do more on more machines, each of which divides its own cores as it does alone, until the port
// of machine 0 is full.
TEST(machines, keys_spread_over_machines_multiply_the_throughput) {
  placed_scenario s =
      chain({taking("work", 4e-3, 4), taking("check", 1e-3, 4)}, {everywhere, everywhere}, {}, {1e-4, 1e-6, 1e9});
  s.bytes = {2e5, 0, 1e3};  // the port carries 5000 a second
  double before = 0;
  for (int n : {1, 2, 4, 8}) {
    s.network.records = static_cast<std::uint64_t>(3000 * n);
    s.machines.cores.assign(static_cast<std::size_t>(n), 5);
    const double now = simulated(s, adaptive{});
    EXPECT_NEAR(now / predicted(s), 1, .1) << n;
    EXPECT_GT(now, before * 1.3) << n;
    before = now;
  }
}

// Ports are shared: two streams out of one machine, to different ones, together reach the rate of one.
TEST(machines, streams_share_a_port) {
  placed_scenario s =
      chain({taking("a", 1e-4), taking("b", 1e-4), taking("c", 1e-4)}, {0, 1, 2}, {2, 1, 1}, {0, 0, 1e9});
  s.network.links = {{-1, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, -1, 1}, {2, -1, 1}};
  s.bytes = {0, 1e6, 1e6, 0, 0};
  EXPECT_NEAR(predicted(s), 500, 1e-6);
  EXPECT_NEAR(simulated(s, equal_shares{}), 500, 5);
}

// One machine simulates as without machines.
TEST(machines, one_machine_is_as_none) {
  placed_scenario s = chain({taking("a", 1e-3), taking("b", 3e-3)}, {0, 0}, {4}, {1e-3, 1e-3, 1e3});
  scenario alone = s.network;
  alone.cores = 4;
  EXPECT_EQ(simulated(s, adaptive{}), run(alone, 1, contender{adaptive{}}).throughput);
}

// Impossible machines are refused with words.
TEST(machines, what_cannot_be_simulated_is_refused) {
  placed_scenario s = chain({taking("a", 1e-3)}, {3}, {1, 1}, {});
  EXPECT_THROW(s.validate(), std::invalid_argument);
  s.at = {0};
  s.network.cores = 16;
  s.network.records = 10;
  s.network.phase_starts = {0, 5};
  s.network.phases = {{0, {}}, {1, {}}};
  EXPECT_THROW(s.validate(), std::invalid_argument);
  s.network.phases = {};
  EXPECT_NO_THROW(s.validate());
  scenario wrong = spread_over_machines(s);
  wrong.machine_cores = {1, 2};
  EXPECT_THROW(wrong.validate(), std::invalid_argument);
}

}  // namespace
}  // namespace weir::testing
