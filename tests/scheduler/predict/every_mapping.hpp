#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <weir/scheduler/predict/mapping_search.hpp>
#include "tests/scheduler/predict/model_networks.hpp"

// All mappings of small networks, and comparisons of a search with the best of them.
namespace weir::testing {

// Every mapping, including equivalent ones: all sets of cores, all widths, roaming or not.
inline void each_mapping(const network_model& net, int cores, const std::function<void(const mapping&)>& see) {
  std::vector<mapping::entry> all;
  for (unsigned set = 1; set < 1u << cores; ++set) {
    std::vector<int> members;
    for (int c = 0; c < cores; ++c)
      if (set >> c & 1) members.push_back(c);
    for (int width = 1; width <= std::ssize(members); ++width) {
      all.push_back({core_set(members), width, false});
      if (members.size() > 1) all.push_back({core_set(members), width, true});
    }
  }
  std::vector<mapping::entry> on_device;
  for (int width = 1; width <= 4; ++width) on_device.push_back({{}, width, false});
  mapping m;
  m.components.resize(net.components.size());
  const std::function<void(std::size_t)> place = [&](std::size_t i) {
    if (i == net.components.size()) {
      if (check(m, net, cores).empty()) see(m);
      return;
    }
    for (const auto& e : net.components[i].device >= 0 ? on_device : all) m.components[i] = e, place(i + 1);
  };
  place(0);
}

struct exhausted {
  double throughput = 0, latency_alone = std::numeric_limits<double>::infinity(), latency_at_rate = latency_alone;
  int cores = std::numeric_limits<int>::max();
};

// The best for each goal; for latency at the rate and for cores, among the mappings that carry the rate.
inline exhausted exhaust(const network_model& net, int cores, double rate, sharing rule) {
  exhausted best;
  const flow_predictor of(net);
  each_mapping(net, cores, [&](const mapping& m) {
    const capacity limits = capacity_of(net, of.flow().visits, m, cores, rule);
    best.throughput = std::max(best.throughput, limits.throughput);
    best.latency_alone = std::min(best.latency_alone, of.latency(m, limits, 0));
    if (limits.throughput < rate) return;
    best.latency_at_rate = std::min(best.latency_at_rate, of.latency(m, limits, rate));
    best.cores = std::min(best.cores, m.used().size());
  });
  return best;
}

// The ratio of the found mapping to the best, for each goal: 1 is as good.
struct search_ratios {
  double throughput = 1, latency_alone = 1, latency_at_rate = 1, cores = 1;
};

// Draws a network and searches for each goal. Expects that the result is one of all mappings, and that there is one if
// any exists.
inline search_ratios searched_beside_exhausted(std::mt19937& random, int most_components, int most_cores,
                                               std::uint64_t most_steps) {
  const int cores = std::uniform_int_distribution<int>(1, most_cores)(random);
  const network_model net = random_network(random, most_components, most_cores);
  net.validate();
  const sharing rule = random() % 4 == 0 ? sharing::equal_parts : sharing::work_conserving;
  const double part = std::uniform_real_distribution<double>(.3, .8)(random);
  using kind = mapping_goal::kind;
  const auto found = [&](kind wanted, double rate) {
    const auto all =
        best_mappings(net, cores, {.wanted = wanted, .at = {.rate = rate, .rule = rule}, .most_steps = most_steps});
    EXPECT_TRUE(all.complete || most_steps < 1000);
    for (const found_mapping& one : all.best) EXPECT_EQ(check(one.where, net, cores), "");
    return all.best;
  };
  const auto fastest = found(kind::throughput, 0);
  if (fastest.empty()) {
    each_mapping(net, cores, [&](const mapping& m) { ADD_FAILURE() << to_string(m, net); });
    return {};
  }
  const double most = fastest[0].predicted.throughput, rate = part * most;
  const exhausted best = exhaust(net, cores, rate, rule);
  EXPECT_LE(most, best.throughput * (1 + 1e-9));
  const auto quickest = found(kind::latency, 0), timely = found(kind::latency, rate), fewest = found(kind::cores, rate);
  if (quickest.empty() || timely.empty() || fewest.empty()) {
    ADD_FAILURE() << "nothing was found, and the fastest would do";
    return {};
  }
  EXPECT_TRUE(timely[0].predicted.feasible && fewest[0].predicted.feasible);
  const double used = fewest[0].where.used().size();
  return {best.throughput / most, quickest[0].predicted.latency / best.latency_alone,
          timely[0].predicted.latency / best.latency_at_rate, best.cores == 0 ? 1 + used : used / best.cores};
}

// For `networks` drawn networks: no feasible mapping is 2 % better, and the result uses no core too many.
inline void expect_nothing_better_left_out(int networks, int most_components, int most_cores,
                                           std::uint64_t most_steps) {
  std::mt19937 random(1);
  for (int round = 0; round < networks; ++round) {
    const search_ratios got = searched_beside_exhausted(random, most_components, most_cores, most_steps);
    EXPECT_LE(got.throughput, 1.02) << round;
    EXPECT_LE(got.latency_alone, 1.02) << round;
    EXPECT_LE(got.latency_at_rate, 1.02) << round;
    EXPECT_LE(got.cores, 1) << round;
  }
}

}  // namespace weir::testing
