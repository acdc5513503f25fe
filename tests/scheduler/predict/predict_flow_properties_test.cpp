#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include <weir/scheduler/place/placement.hpp>
#include "scheduler/expect/flow.hpp"
#include "scheduler/predict/mapping_choices.hpp"
#include "scheduler/predict/view_network.hpp"
#include "tests/scheduler/predict/model_networks.hpp"
#include "tests/scheduler/predict/predicted.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

// Invariants of all predictions, which also agree with the expectations of rules and with simulations.
namespace weir::testing {
namespace {

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

}  // namespace
}  // namespace weir::testing
