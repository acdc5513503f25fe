#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/predict/mapping.hpp"

namespace [[gnu::visibility("default")]] weir {

// How components on one core share it.
enum class sharing {
  // Whoever has work gets the core: the sum of f/mu over its components is 1 at most, f the records a second that one
  // runs there and mu what the core alone would manage of them.
  work_conserving,
  // Each of n components gets an n-th, whether it has work or not: mu/n, equation 9 of Beard, Chamberlain and Franklin.
  equal_parts
};

// The most a mapping carries, in records that enter a second, and what limits it. Plain data.
struct capacity {
  double throughput = 0;      // the least limit
  std::vector<double> limit;  // by component: of the cores that it shares with others, and of itself
  std::vector<double> alone;  // by component: its own, as if nobody shared its cores
  std::vector<double> busy;   // by core: its part in use while components run as often as their limit allows
  int component = -1;         // that limits alone, or
  core_set cores;             // shared cores that limit together
};

// By the work-conserving rule the lanes of a component take what the others leave them, so that the limit of components
// that share cores is a linear program: the largest rate at which records can be dealt to lanes such that no core works
// more than all of the time. Cores on which the same components run in the same lanes are one in it. Components that
// share no cores, not even by way of others, are apart: each has the limit V / sum of 1/T over its lanes.
// Where records come too seldom for a limit that is a number, it is infinite.
//
// REQUIRES: visits by component; of those that are visited, check(given, network, cores) would find nothing wrong.
capacity capacity_of(const network_model& network, const std::vector<double>& visits, const mapping& given, int cores,
                     sharing rule);

// Invocations a second of all lanes of a component, as if nobody shared its cores: mu.
double service_rate(const network_model& network, const mapping& given, std::size_t component);

}  // namespace weir
