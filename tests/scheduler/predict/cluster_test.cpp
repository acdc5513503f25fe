#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "scheduler/predict/cluster_flow.hpp"
#include "scheduler/predict/placement_advice.hpp"
#include "scheduler/view/numbers.hpp"
#include "tests/scheduler/predict/model_networks.hpp"

namespace weir::testing {
namespace {

placed_network on_machines(std::vector<network_model::component> components, std::vector<int> at,
                           std::vector<int> cores, machine_link usual) {
  placed_network net;
  net.network.components = std::move(components);
  net.at = std::move(at);
  net.machines.cores = std::move(cores);
  net.machines.usual = usual;
  return net;
}

// Machines between which records cost nothing are no slower than one with all their cores, where no component can use
// more than one. Nothing is on a wire or under way.
TEST(cluster, links_that_cost_nothing_are_not_there) {
  const placed_network net = on_machines({costing("a", {.1}), costing("b", {.2})}, {0, 1}, {1, 1}, {});
  const cluster_prediction p = predict_on_machines(net);
  EXPECT_EQ(p.network.components.size(), 2U);
  EXPECT_DOUBLE_EQ(p.predicted.throughput, 5);
  EXPECT_NEAR(p.predicted.latency, .3, 1e-12);
  EXPECT_EQ(p.predicted.bottleneck, "component b");
}

// A record takes its wire for g + bytes/bandwidth, one record at a time, and is then under way for L. So the rate is
// that of the wire, while a record alone also waits for the latency, there and back.
TEST(cluster, a_record_costs_latency_and_bytes_over_bandwidth) {
  placed_network net = on_machines({costing("a", {1e-3}), costing("b", {2e-3})}, {0, 1}, {1, 1}, {1e-2, 1e-3, 1e5});
  net.bytes = {0, 1000, 0};
  const cluster_prediction p = predict_on_machines(net);
  EXPECT_NEAR(p.predicted.throughput, 1 / 11e-3, 1e-6);
  EXPECT_NEAR(p.predicted.latency, 1e-3 + 11e-3 + 1e-2 + 2e-3 + 1e-3 + 1e-2, 1e-9);
  EXPECT_EQ(p.predicted.bottleneck, "link a -> b, 0 -> 1");
  EXPECT_NEAR(p.ports[0].out, 1, 1e-9);
  EXPECT_NEAR(p.ports[1].in, 1, 1e-9);
  EXPECT_NEAR(p.ports[0].in, 1. / 11, 1e-9);
}

// The rate of a machine is doubled until it is too much. With times that have no such rate, it would be for ever.
TEST(cluster, times_that_nothing_is_computed_with_are_refused_and_others_end) {
  for (const double odd : {0.0, 1e-320, 1e308, std::numeric_limits<double>::quiet_NaN()}) {
    const placed_network net = on_machines({costing("a", {.1}), costing("b", {odd})}, {0, 1}, {4, 4}, {1e-5, 0, 1e9});
    EXPECT_THROW(predict_on_machines(net), std::invalid_argument) << odd;
    EXPECT_THROW(advise_placement(net), std::invalid_argument) << odd;
  }
  for (const double end : {least_time, most_time}) {
    const placed_network net = on_machines({costing("a", {.1}), costing("b", {end})}, {0, 1}, {4, 4}, {1e-5, 0, 1e9});
    EXPECT_GT(predict_on_machines(net).predicted.throughput, 0) << end;
    EXPECT_NO_THROW(advise_placement(net)) << end;
  }
}

// Credit bounds the records under way: w records of credit, each returned after as long again, allow w / 2L a second.
TEST(cluster, credit_bounds_what_is_under_way) {
  placed_network net = on_machines({costing("a", {1e-5}), costing("b", {1e-5})}, {0, 1}, {1, 1}, {1e-2, 0, 1e9});
  net.machines.window_records = 20;
  EXPECT_NEAR(predict_on_machines(net).predicted.throughput, 20 / 2e-2, 1e-6);
  EXPECT_EQ(predict_on_machines(net).predicted.bottleneck, "credit of a -> b, 0 -> 1 under way");
  net.bytes = {0, 1e6, 0};  // of bytes, too: 4 records of them
  net.machines.window_bytes = 4e6;
  EXPECT_NEAR(predict_on_machines(net).predicted.throughput, 4 / 2e-2, 1e-6);
}

// A component everywhere does as much on each machine, so that machines multiply its throughput, until the ports of
// machine 0 are busy.
TEST(cluster, keys_spread_over_all_machines_until_a_port_is_full) {
  placed_network net = on_machines({costing("work", {1}, 4)}, {everywhere}, {}, {0, 1e-2, 1e9});
  for (int n : {1, 4, 16, 64}) {
    net.machines.cores.assign(to_index(n), 4);
    const cluster_prediction p = predict_on_machines(net);
    // One of n parts needs no wire.
    const double port = n == 1 ? 1e9 : n / (1e-2 * (n - 1));
    EXPECT_NEAR(p.predicted.throughput, std::min(4.0 * n, port), 1e-6) << n;
    EXPECT_EQ(p.predicted.bottleneck.starts_with("port"), 4.0 * n > port) << p.predicted.bottleneck;
  }
}

// From one placed part to another a record passes machine 0, unless it may go directly.
TEST(cluster, records_pass_machine_0_unless_they_may_go_directly) {
  placed_network net = on_machines({costing("a", {1e-3}), costing("b", {1e-3})}, {1, 2}, {1, 1, 1}, {1e-2, 0, 1e9});
  EXPECT_NEAR(predict_on_machines(net).predicted.latency, 2e-3 + 4e-2, 1e-9);
  net.machines.direct = true;
  EXPECT_NEAR(predict_on_machines(net).predicted.latency, 2e-3 + 3e-2, 1e-9);
}

placed_network drawn(std::mt19937& random) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  placed_network net;
  net.network = random_network(random, 6, 4);
  for (int m = pick(1, 4); m > 0; --m) net.machines.cores.push_back(pick(1, 6));
  net.machines.usual = {pick(0, 2) * 1e-3, pick(0, 2) * 1e-3, pick(0, 1) ? 1e6 : 1e9};
  net.machines.window_records = pick(1, 40);
  net.machines.direct = pick(0, 1) == 1;
  if (net.machines.machines() > 1) net.machines.pairs.push_back({0, 1, {5e-3, 0, 1e5}});
  for (std::size_t l = 0; l < net.network.all_links().size(); ++l) net.bytes.push_back(pick(0, 3) * 1000);
  const bool has_join = net.network.components.back().joins;
  for (const network_model::component& c : net.network.components)
    net.at.push_back(c.device >= 0 ? 0 : pick(has_join ? 0 : everywhere, net.machines.machines() - 1));
  return net;
}

// The quick answer and the full prediction agree on every network, placement and machines.
TEST(cluster, the_quick_capacity_is_that_of_the_prediction) {
  std::mt19937 random(40);
  int compared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const placed_network net = drawn(random);
    const double quick = cluster_capacity(net).throughput(net.at);
    if (!(quick > 0)) continue;
    const cluster_prediction p = predict_on_machines(net);
    if (!p.predicted.feasible) continue;  // several components on one device
    ++compared;
    EXPECT_NEAR(p.predicted.throughput / quick, 1, 1e-6) << trial << ": " << p.predicted.bottleneck;
    for (double busy : p.predicted.cores) EXPECT_LE(busy, 1 + 1e-6) << trial;
  }
  EXPECT_GT(compared, 200);
}

// ---- where to put components ----

// Two equal components that need a machine each are taken apart when records are small, and stay together when to send
// their bytes takes longer than to compute.
TEST(placement_advice, components_part_where_the_link_is_worth_it) {
  placed_network net = on_machines({costing("a", {1e-2}), costing("b", {1e-2})}, {0, 0}, {1, 1}, {1e-4, 1e-6, 1e9});
  net.bytes = {1e4, 1e4, 1e4};
  const placement_advice apart = advise_placement(net);
  ASSERT_EQ(apart.steps.size(), 1U);
  EXPECT_EQ(apart.steps[0].machine, 1);
  EXPECT_EQ(apart.steps[0].components.size(), 1U);
  EXPECT_NEAR(apart.now, 50, 1e-6);
  EXPECT_NEAR(apart.then, 100, 1e-6);
  EXPECT_NEAR(apart.gain(), 1, 1e-6);
  EXPECT_EQ(to_string(apart.steps[0], net.network), "a at 1: 100 records/s");
  net.bytes = {3e7, 3e7, 3e7};
  const placement_advice together = advise_placement(net);
  EXPECT_TRUE(together.steps.empty());
  EXPECT_EQ(together.at, net.at);
}

// A component whose output is small goes with the one before it, so that the large records between them stay.
TEST(placement_advice, large_records_stay_on_a_machine) {
  placed_network net = on_machines({costing("a", {.02}), costing("b", {.01}), costing("c", {.01})}, {0, 0, 0}, {1, 1},
                                   {1e-4, 1e-6, 1e8});
  net.bytes = {100, 100, 1e7, 100};  // b -> c takes 0.1 s
  const placement_advice advice = advise_placement(net);
  EXPECT_EQ(advice.at[1], advice.at[2]);
  EXPECT_NE(advice.at[0], advice.at[1]);
  EXPECT_NEAR(advice.then, 50, .1);
}

// The proposed placement is never worse than it says, nor than the present one; and no random placement of 30 is a
// tenth better.
TEST(placement_advice, is_seldom_far_from_the_best_of_random_places) {
  std::mt19937 random(7);
  int much_worse = 0, compared = 0;
  for (int trial = 0; trial < 60; ++trial) {
    placed_network net = drawn(random);
    for (int& m : net.at) m = std::max(m, 0);
    const placement_advice advice = advise_placement(net, {}, 0);
    EXPECT_GE(advice.then, advice.now * (1 - 1e-9));
    if (!advice.steps.empty()) {
      EXPECT_NEAR(advice.steps.back().throughput / advice.then, 1, 1e-9);
    }
    placed_network other = net;
    double best = 0;
    cluster_capacity capacity(net);
    for (int k = 0; k < 30; ++k) {
      for (std::size_t i = 0; i < other.at.size(); ++i)
        if (other.network.components[i].device < 0)
          other.at[i] = std::uniform_int_distribution<int>(0, net.machines.machines() - 1)(random);
      best = std::max(best, capacity.throughput(other.at));
    }
    ++compared;
    much_worse += best > 1.1 * std::max(advice.then, advice.now);
  }
  EXPECT_LE(much_worse, compared / 30);
}

// Wrong input is refused with words that name it.
TEST(cluster, wrong_input_is_refused) {
  placed_network net = on_machines({costing("a", {1})}, {2}, {1, 1}, {});
  EXPECT_THROW(predict_on_machines(net), std::invalid_argument);
  net.at = {0};
  net.bytes = {1};
  EXPECT_THROW(predict_on_machines(net), std::invalid_argument);
  net.bytes = {};
  net.machines.usual.latency = -1;
  EXPECT_THROW(predict_on_machines(net), std::invalid_argument);
  net.machines.usual = {0, 0, 0};
  EXPECT_THROW(predict_on_machines(net), std::invalid_argument);
  net.machines.usual = {};
  net.machines.cores = {0};
  EXPECT_THROW(predict_on_machines(net), std::invalid_argument);
  net.machines.cores = {1};
  net.network.components[0].min_cores = 2;
  EXPECT_THROW(predict_on_machines(net), std::invalid_argument);
  net.network.components[0].min_cores = 1;
  net.network.components.push_back(costing("b", {1}));
  net.network.components[1].joins = true;
  net.at = {everywhere, 0};
  EXPECT_THROW(predict_on_machines(net), std::invalid_argument);
  net.at = {0, everywhere};
  EXPECT_THROW(predict_on_machines(net), std::invalid_argument);
  net.at = {0, 0};
  EXPECT_NO_THROW(predict_on_machines(net));
}

}  // namespace
}  // namespace weir::testing
