#include "scheduler/predict/predict_flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "scheduler/expect/flow.hpp"
#include "scheduler/place/placement.hpp"
#include "scheduler/predict/mapping_choices.hpp"
#include "scheduler/predict/view_network.hpp"
#include "tests/scheduler/predict/model_networks.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

namespace weir::testing {
namespace {

mapping on(std::vector<mapping::entry> entries) { return {std::move(entries)}; }

network_prediction predicted(const network_model& net, const mapping& where, int cores, double rate = 0,
                             sharing rule = sharing::work_conserving) {
  net.validate();
  return predict_flow(net, where, cores, {.rate = rate, .rule = rule});
}

// ---- worked by hand ----

// A chain with one core per component is as fast as its slowest one; the others are busy in proportion. At half of that
// rate the waits are those of M/M/1: 1 / (mu - lambda) in all.
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
  EXPECT_NE(beyond.why_not.find("asked for was 6"), std::string::npos) << beyond.why_not;
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
  EXPECT_EQ(together.bottleneck, "cores {1} of b, c");
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
  EXPECT_EQ(p.bottleneck, "cores {0} of a, b");
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

// ---- what always holds ----

// Any mapping that check() accepts, or none.
mapping random_mapping(std::mt19937& random, const network_model& net, int cores) {
  mapping m;
  m.components.resize(net.components.size());
  for (std::size_t i = 0; i < net.components.size(); ++i) {
    const auto ways = all_ways(core_classes(m, cores), net.components[i], 1 << 20);
    if (ways.empty()) return {};
    m.components[i] = ways[std::uniform_int_distribution<std::size_t>(0, ways.size() - 1)(random)];
    if (net.components[i].device >= 0) m.components[i].width = 1;
  }
  return check(m, net, cores).empty() ? m : mapping{};
}

// At every component the output is gain times the input, and no component exceeds its limit. No core works more than
// all the time, and some resource does work all the time. Equal parts are never faster than sharing the available time.
TEST(predict_flow, flows_are_conserved_and_nobody_does_more_than_they_can) {
  std::mt19937 random(1);
  int looked_at = 0;
  for (int round = 0; round < 400; ++round) {
    const network_model net = random_network(random, 6, 6);
    const mapping where = random_mapping(random, net, 6);
    if (where.components.empty()) continue;
    ++looked_at;
    for (const sharing rule : {sharing::work_conserving, sharing::equal_parts}) {
      const network_prediction p = predicted(net, where, 6, 0, rule);
      ASSERT_TRUE(p.feasible) << p.why_not;
      double fullest = 0;
      for (std::size_t i = 0; i < p.components.size(); ++i) {
        const auto& c = p.components[i];
        double in = 0, out = 0;
        for (const auto& s : p.streams) {
          if (s.to == static_cast<int>(i))
            in = net.components[i].joins ? (in == 0 ? s.records - s.held : std::min(in, s.records - s.held))
                                         : in + s.records;
          if (s.from == static_cast<int>(i)) out += s.records;
        }
        EXPECT_NEAR(in, c.rate, 1e-6 * c.rate);
        EXPECT_NEAR(out, c.gain * c.rate, 1e-6 * out);
        EXPECT_LE(c.rate, c.service_rate * (1 + 1e-6));
        fullest = std::max(fullest, c.load);
      }
      for (double busy : p.cores) EXPECT_LE(busy, 1 + 1e-9);
      if (rule == sharing::work_conserving) {
        for (double busy : p.cores) fullest = std::max(fullest, busy);
      }
      EXPECT_NEAR(fullest, 1, 1e-6) << to_string(where, net);
      EXPECT_LE(p.throughput_mu_n, p.throughput_shared * (1 + 1e-9)) << to_string(where, net);
      EXPECT_GE(predicted(net, where, 6, p.throughput / 2, rule).latency, p.latency * (1 - 1e-9));
    }
  }
  EXPECT_GT(looked_at, 200);
}

// A mapping that lets a component also use another core whenever that is free is never slower.
TEST(predict_flow, more_cores_for_one_that_roams_never_hurt) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const network_model net = random_network(random, 5, 5);
    mapping where = random_mapping(random, net, 4);
    if (where.components.empty()) continue;
    const double before = predicted(net, where, 5).throughput;
    for (auto& e : where.components)
      if (e.roams) e.cores = e.cores | core_set{4};
    EXPECT_GE(predicted(net, where, 5).throughput, before * (1 - 1e-9)) << to_string(where, net);
  }
}

// For every allotment of a run, the prediction is the one that its rules decide by. That holds for throughput always,
// and for latency if no component shares another's core.
TEST(predict_flow, agrees_with_what_rules_expect_of_an_allotment) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    system_view view = random_view(random, 8, false, 5);
    for (component_view& c : view.components) c.visits = 1, c.sequential = false;
    core_counts counts;
    int left = view.cores.size(), members = 0;
    for (component_view& c : view.components) {
      const int cores = std::uniform_int_distribution<int>(0, std::max(0, left - 1))(random);
      counts.components.push_back(
          {cores, cores == 0 ? 1 : std::uniform_int_distribution<int>(1, std::min(cores, c.max_width))(random)});
      left -= cores;
      members += cores == 0;
    }
    const int owner = largest_owner(counts);
    const bool hosted = members > 0 && owner >= 0 && round % 3 == 0;
    if (hosted)
      counts.host = owner;
    else if (members > 0)
      counts.shared = left;
    const allotment given = place(counts, view);
    const network_model net = network_of(view);
    const mapping where = mapping_of(given, net);
    const flow alone = expected_flow(view, given, 0);
    const network_prediction p = predicted(net, where, view.cores.size());
    EXPECT_NEAR(p.throughput, alone.throughput, 1e-6 * alone.throughput) << to_string(where, net);
    EXPECT_NEAR(p.latency, alone.latency, 1e-6 * alone.latency) << to_string(where, net);
    const double rate = .7 * alone.throughput;
    if (!hosted) {
      EXPECT_NEAR(predicted(net, where, view.cores.size(), rate).latency, expected_flow(view, given, rate).latency,
                  1e-6 * alone.latency)
          << to_string(where, net);
    }
  }
}

// A component that waits for I/O outside the cores is on its own device, with as many slots as its concurrent waits.
TEST(predict_flow, agrees_with_what_rules_expect_of_what_runs_outside_the_cores) {
  system_view view = view_of(4, {component("a", amdahl(1, .9)), component("store", amdahl(3, 0)),
                                 component("b", amdahl(.5, 0)), component("c", amdahl(.1, 0))});
  view.components[1].blocking = 5;
  const network_model net = network_of(view);
  net.validate();
  EXPECT_EQ(net.devices[0].name, "threads of store");
  for (const core_counts& counts :
       {core_counts{{{2, 1}, {}, {2, 1}, {0, 1}}, 0, 0}, core_counts{{{2, 1}, {}, {0, 1}, {0, 1}}, 2, -1}}) {
    const allotment given = place(counts, view);
    const mapping where = mapping_of(given, net);
    EXPECT_EQ(check(where, net, 4), "");
    EXPECT_NEAR(predicted(net, where, 4).throughput, expected_flow(view, given, 0).throughput, 1e-9);
    if (counts.host >= 0) continue;
    for (const double rate : {0.0, 1.0})
      EXPECT_NEAR(predicted(net, where, 4, rate).latency, expected_flow(view, given, rate).latency, 1e-6);
    EXPECT_NEAR(predicted(net, where, 4, 1).components[1].utilisation, 3.0 / 5, 1e-9);
  }
  view.components[1].blocking = 1;
  const network_model slow = network_of(view);
  const allotment given = place({{{2, 1}, {}, {1, 1}, {1, 1}}, 0, -1}, view);
  EXPECT_EQ(predicted(slow, mapping_of(given, slow), 4).bottleneck, "component store on device threads of store");
}

// Records, queues and lanes of a simulation have the predicted flows within 3 %: chains, choices, forks and joins,
// loops, owned cores, lanes and a shared group.
TEST(predict_flow, simulated_networks_carry_what_is_predicted) {
  std::mt19937 random(4);
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  for (int round = 0; round < 24; ++round) {
    simulation::scenario s = network(6, 3000, {});
    for (int i = 0; i < 4; ++i) {
      s.components.push_back(constant(numbered("c", i), real(.1, 1)));
      s.components.back().max_width = 3;
      s.components.back().capacity = 20;
    }
    const double part = real(.2, .8);
    if (round % 4 == 1) {
      s.components[0].chooses = true;
      s.links = {{-1, 0, 1}, {0, 1, part}, {0, 2, 1 - part}, {1, 3, 1}, {2, 3, 1}, {3, -1, 1}};
    } else if (round % 4 == 2) {
      s.components[3].joins = true;
      s.links = {{-1, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {2, 3, 1}, {3, -1, 1}};
    } else if (round % 4 == 3) {
      s.components[2].chooses = true;
      s.links = {{-1, 0, 1}, {0, 1, 1}, {1, 2, 1}, {2, 2, part / 2}, {2, 3, 1 - part / 2}, {3, -1, 1}};
    }
    allotment given = one_core_each(s);
    if (round % 3 == 1) given.components[2] = {{2, 4, 5}, 3};
    if (round % 3 == 2) given.components[1] = given.components[3] = {}, given.shared = {1, 3};
    network_model net;
    for (const auto& c : s.components) {
      net.components.push_back(costing(c.name, {c.cost(1, 1)}, c.max_width));
      net.components.back().joins = c.joins;
    }
    net.links = s.all_links();
    const double expected = predicted(net, mapping_of(given, net), 6).throughput;
    EXPECT_NEAR(run_on(s, given).throughput, expected, .03 * expected) << round;
  }
}

// ---- invalid networks and mappings ----

TEST(predict_flow, says_what_cannot_be) {
  network_model net;
  net.components = {costing("a", {.1}), costing("b", {.1})};
  const auto expect = [&](const network_model& wrong, const std::string& part) {
    const std::string said = refusal([&] { wrong.validate(); });
    EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
  };
  expect({}, "there are no components");
  network_model wrong = net;
  wrong.components[1].name = "a";
  expect(wrong, "two components are called \"a\"");
  wrong = net;
  wrong.components[1].seconds = [](int) { return 0.0; };
  expect(wrong, "component \"b\" takes 0.000000 seconds");
  wrong = net;
  wrong.components[1].device = 0;
  expect(wrong, "on a device that there is not");
  wrong = net;
  wrong.links = {{-1, 2, 1}};
  expect(wrong, "a link leads");
  wrong.links = {{0, 1, 1}};
  expect(wrong, "no link leads from the input");
  wrong.components[0].joins = true;
  wrong.links = {{-1, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, -1, 1}};
  expect(wrong, "\"a\" joins what it makes itself");

  const auto why = [&](const mapping& where) { return predict_flow(net, where, 2).why_not; };
  EXPECT_EQ(why(on({{{0}}})), "there are 2 components and places for 1");
  EXPECT_EQ(why(on({{{0}}, {{}}})), "\"b\" has no cores");
  EXPECT_EQ(why(on({{{0}}, {{2}}})), "\"b\" has cores 2, expected were some of 0 to 1");
  EXPECT_EQ(why(on({{{0}}, {{0, 1}, 3}})), "\"b\" runs 3 at once on 2 cores");
  net.components[1].min_cores = 2;
  EXPECT_EQ(why(on({{{0}}, {{1}}})), "\"b\" uses 1 cores, expected was 2 to any number");
  EXPECT_NE(refusal([] { flow_options{.rate = -1}.validate(); }).find("the rate is -1"), std::string::npos);
  EXPECT_NE(refusal([] { flow_options{.blocking = 1}.validate(); }).find("must be in (0, 1)"), std::string::npos);
}

}  // namespace
}  // namespace weir::testing
