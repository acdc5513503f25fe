#include <weir/scheduler/predict/predict_flow.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "tests/scheduler/predict/model_networks.hpp"
#include "tests/scheduler/predict/predicted.hpp"

// Predictions of small networks, compared with results worked by hand.
namespace weir::testing {
namespace {

// A chain with one core per component is as fast as its slowest one; the others are busy in proportion. At half of that
// rate the waits are those of M/M/1: 1 / (mu - lambda) in all.
// Two components of 0.1 s on four cores each, and a resource of 4.
network_model needing(double a, double b) {
  network_model n;
  n.resources = {{"licence", 4}};
  n.components.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    n.components[i].name = i == 0 ? "a" : "b";
    n.components[i].seconds = [](int) { return 0.1; };
    if (const double amount = i == 0 ? a : b; amount > 0) n.components[i].needs = {{0, amount}};
  }
  return n;
}

// A component runs as many invocations at a time as its need allows, and several have the resource together.
TEST(predict_flow, keeps_to_resources) {
  const mapping four_each{{{core_set::range(0, 4), 4}, {core_set::range(4, 4), 4}}};
  const auto predicted = [&](double a, double b, double rate = 0) {
    return predict_flow(needing(a, b), four_each, 8, {.rate = rate});
  };
  EXPECT_NEAR(predicted(0, 0).throughput, 40, 1e-9);
  EXPECT_NEAR(predicted(3, 0).throughput, 10, 1e-9) << "one at a time, since 4 are not 6";
  EXPECT_NEAR(predicted(3, 0).throughput_mu_n, 10, 1e-9);
  EXPECT_EQ(predicted(3, 0).bottleneck, "component a");
  EXPECT_NEAR(predicted(1, 1).throughput, 20, 1e-9);
  EXPECT_EQ(predicted(1, 1).bottleneck, "resource licence of a, b");
  EXPECT_GT(predicted(3, 0, 9).latency, predicted(0, 0, 9).latency) << "records wait for the licence";
  EXPECT_THROW(predicted(5, 0), std::invalid_argument);
}

TEST(predict_flow, a_chain) {
  network_model net;
  net.components = {costing("a", {.1}), costing("b", {.2})};
  const mapping where = on({{{0}}, {{1}}});
  const network_prediction most = predicted(net, where, 2);
  EXPECT_TRUE(most.feasible);
  EXPECT_DOUBLE_EQ(most.throughput, 5);
  EXPECT_EQ(most.bottleneck, "component b");
  EXPECT_DOUBLE_EQ(most.components[0].utilisation, .5);
  EXPECT_DOUBLE_EQ(most.components[0].service_rate, 10);
  EXPECT_DOUBLE_EQ(most.cores[1], 1);
  EXPECT_DOUBLE_EQ(most.latency, .3);      // of a single record
  EXPECT_EQ(most.streams[1].places, 19u);  // at full load: 1/P - 1

  const network_prediction half = predicted(net, where, 2, 2.5);
  EXPECT_DOUBLE_EQ(half.latency, 1 / (10 - 2.5) + 1 / (5 - 2.5));
  EXPECT_DOUBLE_EQ(half.streams[2].records, 2.5);
  // M/M/1/3 at load 1/2 blocks a fifteenth, M/M/1/4 a thirty-first.
  EXPECT_EQ(half.streams[1].places, 4u);

  const network_prediction beyond = predicted(net, where, 2, 6);
  EXPECT_FALSE(beyond.feasible);
  EXPECT_NE(beyond.why_not.find("the rate is 6"), std::string::npos) << beyond.why_not;
  EXPECT_DOUBLE_EQ(beyond.rate, 5) << "back-pressure holds the source to what can enter";
  EXPECT_TRUE(std::isinf(beyond.latency));
}

// So few records that the limit of their components overflows: they use none of the cores that they share.
TEST(predict_flow, records_that_hardly_ever_come_take_nothing) {
  network_model net;
  net.components = {costing("a", {.1}), costing("seldom", {.2}, 2), costing("never", {.2})};
  net.links = {{-1, 0, 1}, {0, -1, 1}, {0, 1, 1e-320}, {1, 2, 1}};
  const network_prediction shared = predicted(net, on({{{0}}, {{1, 2}, 2}, {{1}}}), 3);
  EXPECT_DOUBLE_EQ(shared.throughput, 10);
  EXPECT_EQ(shared.bottleneck, "component a");
  EXPECT_DOUBLE_EQ(shared.components[1].service_rate, 10);
  EXPECT_DOUBLE_EQ(shared.components[1].sojourn, .2);
  EXPECT_DOUBLE_EQ(predicted(net, on({{{0}}, {{0, 1}, 2, true}, {{0}}}), 2).throughput, 10);
  net.components[2].joins = true;
  net.links.push_back({0, 2, 1});
  EXPECT_DOUBLE_EQ(predicted(net, on({{{0}}, {{1, 2}, 2}, {{1}}}), 3).throughput, 10);
}

// However often records loop, the routing is one linear system: 1 / (1 - part) passes.
TEST(predict_flow, a_loop_that_returns_nearly_everything) {
  network_model net;
  net.components = {costing("a", {.1}), costing("b", {.1})};
  for (const double leaves : {.5, 1e-3, 1e-6, 1e-9}) {
    net.links = {{-1, 0, 1}, {0, 1, 1}, {1, 0, 1 - leaves}, {1, -1, leaves}};
    EXPECT_NEAR(predicted(net, on({{{0}}, {{1}}}), 2).latency * leaves, .2, 1e-6) << leaves;
  }
}

// A component gives two records for one, three quarters of which go one way. At every component the output is gain
// times the input.
TEST(predict_flow, a_choice_with_gains) {
  network_model net;
  net.components = {costing("split", {.1}), costing("b", {.1}), costing("c", {.1})};
  net.links = {{-1, 0, 1}, {0, 1, 1.5}, {0, 2, .5}, {1, -1, 1}, {2, -1, .1}};
  const network_prediction p = predicted(net, on({{{0}}, {{1}}, {{2}}}), 3);
  EXPECT_DOUBLE_EQ(p.components[0].gain, 2);
  EXPECT_DOUBLE_EQ(p.components[1].visits, 1.5);
  EXPECT_DOUBLE_EQ(p.throughput, 10 / 1.5);
  EXPECT_EQ(p.bottleneck, "component b");
  EXPECT_NEAR(p.streams[2].records, p.throughput / 2, 1e-12);
  EXPECT_NEAR(p.streams[4].records, p.throughput * .05, 1e-12);
}

// Half of the second component's output goes back to the first: both are visited twice.
TEST(predict_flow, feedback) {
  network_model net;
  net.components = {costing("a", {.1}), costing("b", {.2}), costing("c", {.3})};
  net.links = {{-1, 0, 1}, {0, 1, 1}, {1, 0, .5}, {1, 2, .5}, {2, -1, 1}};
  const network_prediction p = predicted(net, on({{{0}}, {{1}}, {{2}}}), 3);
  EXPECT_NEAR(p.components[0].visits, 2, 1e-12);
  EXPECT_NEAR(p.throughput, 2.5, 1e-12);
  EXPECT_NEAR(p.latency, 2 * .1 + 2 * .2 + .3, 1e-9);

  net.links[2].records = 1;
  EXPECT_THROW(predicted(net, on({{{0}}, {{1}}, {{2}}}), 3), std::invalid_argument);
}

// Copies in parallel branches are joined after the slower one; on one core they wait for each other.
TEST(predict_flow, a_fork_and_its_join) {
  network_model net;
  net.components = {costing("fork", {.1}), costing("b", {.2}), costing("c", {.5}), costing("join", {.1})};
  net.components[3].joins = true;
  net.links = {{-1, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {2, 3, 1}, {3, -1, 1}};
  const network_prediction apart = predicted(net, on({{{0}}, {{1}}, {{2}}, {{3}}}), 4);
  EXPECT_DOUBLE_EQ(apart.components[3].visits, 1);
  EXPECT_DOUBLE_EQ(apart.latency, .1 + .5 + .1);
  EXPECT_DOUBLE_EQ(apart.throughput, 2);
  EXPECT_TRUE(apart.notes.empty());
  const network_prediction together = predicted(net, on({{{0}}, {{1}}, {{1}}, {{3}}}), 4);
  EXPECT_DOUBLE_EQ(together.latency, .1 + .7 + .1);
  EXPECT_DOUBLE_EQ(together.throughput, 1 / .7);
  EXPECT_EQ(together.bottleneck, "cores {1} of c, b");
  // If both may use two cores, there is one for each.
  const network_prediction pooled = predicted(net, on({{{0}}, {{1, 2}, 2, true}, {{1, 2}, 2, true}, {{3}}}), 4);
  EXPECT_DOUBLE_EQ(pooled.latency, .1 + .5 + .1);
  EXPECT_DOUBLE_EQ(pooled.throughput, 2 / .7);
}

// One core for both. The work-conserving rule adds up the times. The paper's rule gives each a half, of which the
// faster leaves some unused.
TEST(predict_flow, a_shared_core_by_both_rules) {
  network_model net;
  net.components = {costing("a", {.1}), costing("b", {.3})};
  const mapping where = on({{{0}}, {{0}}});
  const network_prediction p = predicted(net, where, 1);
  EXPECT_DOUBLE_EQ(p.throughput, 2.5);
  EXPECT_DOUBLE_EQ(p.throughput_shared, 2.5);
  EXPECT_DOUBLE_EQ(p.throughput_mu_n, 1 / .6);
  EXPECT_EQ(p.bottleneck, "cores {0} of b, a");
  EXPECT_DOUBLE_EQ(p.components[0].utilisation, .25);
  EXPECT_DOUBLE_EQ(p.components[0].load, 1);
  const network_prediction paper = predicted(net, where, 1, 0, sharing::equal_parts);
  EXPECT_DOUBLE_EQ(paper.throughput, 1 / .6);
  EXPECT_DOUBLE_EQ(paper.cores[0], .5 + .5 / 3);
}

// Cores that overlap in part: b has core 1 alone and takes no more of core 0 than a leaves.
TEST(predict_flow, cores_that_overlap_in_part) {
  network_model net;
  net.components = {costing("a", {.1}), costing("b", {.3})};
  EXPECT_DOUBLE_EQ(predicted(net, on({{{0}}, {{0, 1}, 2, true}}), 2).throughput, 2 / .4);
  net.components[1].max_width = 1;  // one invocation at a time, on either core
  EXPECT_DOUBLE_EQ(predicted(net, on({{{0}}, {{0, 1}, 1, true}}), 2).throughput, 1 / .3);
  net.components[1] = costing("b", {.3, .15});
  EXPECT_DOUBLE_EQ(predicted(net, on({{{0}}, {{0, 1}, 1, false}}), 2).throughput, 1 / .25) << "core 0 does both";
}

// Two concurrent invocations on a device with two slots; a third, or one that needs more slots, is refused. It takes no
// core.
TEST(predict_flow, a_device_with_slots) {
  network_model net;
  net.devices = {{"fpga", 5}};
  net.components = {costing("a", {.1}), costing("kernel", {.3})};
  net.components[1].device = 0;
  net.components[1].slots = 2;
  const network_prediction p = predicted(net, on({{{0}}, {{}, 2}}), 1);
  EXPECT_DOUBLE_EQ(p.throughput, 2 / .3);
  EXPECT_EQ(p.bottleneck, "component kernel on device fpga");
  const network_prediction full = predicted(net, on({{{0}}, {{}, 3}}), 1);
  EXPECT_FALSE(full.feasible);
  EXPECT_EQ(full.why_not, "device \"fpga\" has 5 slots and is to hold 6");
  EXPECT_FALSE(predicted(net, on({{{0}}, {{0}}}), 1).feasible);
}

// Two sources meet in a join: the faster one is held back until both bring the same number.
TEST(predict_flow, a_join_throttles_the_faster_source) {
  network_model net;
  net.components = {costing("a", {.1}), costing("b", {.1}), costing("join", {.1})};
  net.components[2].joins = true;
  net.links = {{-1, 0, 1}, {-1, 1, 1}, {0, 2, 1}, {1, 2, .25}, {2, -1, 1}};
  const network_prediction p = predicted(net, on({{{0}}, {{1}}, {{2}}}), 3);
  EXPECT_DOUBLE_EQ(p.components[0].visits, .25);
  EXPECT_DOUBLE_EQ(p.components[1].visits, 1);
  EXPECT_DOUBLE_EQ(p.components[2].visits, .25);
  EXPECT_DOUBLE_EQ(p.streams[2].held, 0);
  EXPECT_DOUBLE_EQ(p.throughput, 10);
}

// If one source feeds both sides unequally, neither side can be held back. The slower side determines the rate of the
// join, and the prediction says that records without a partner pile up.
TEST(predict_flow, a_join_of_unequal_branches_runs_as_often_as_the_slowest) {
  network_model net;
  net.components = {costing("fork", {.1}), costing("b", {.1}), costing("join", {.1})};
  net.components[2].joins = true;
  net.links = {{-1, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 2, .25}, {2, -1, 1}};
  const network_prediction p = predicted(net, on({{{0}}, {{1}}, {{2}}}), 3);
  EXPECT_DOUBLE_EQ(p.components[2].visits, .25);
  EXPECT_DOUBLE_EQ(p.streams[2].held, p.throughput * .75);
  ASSERT_EQ(p.notes.size(), 1u);
  EXPECT_NE(p.notes[0].find("\"join\" joins"), std::string::npos);
}

}  // namespace
}  // namespace weir::testing
