#pragma once

#include <cstddef>
#include <vector>

#include <weir/scheduler/predict/mapping.hpp>

namespace [[gnu::visibility("default")]] weir {

// How components on one core share it, for a prediction.
enum class sharing {
  // A component with work gets the core. Let f be the records a second that a component runs on the core, and mu what
  // the core alone would manage of them. Then the sum of f/mu over the components is at most 1.
  work_conserving,
  // Each of n components gets an n-th of the core, even without work: mu/n, equation 9 of Beard, Chamberlain and
  // Franklin.
  equal_parts
};

// The most records a second that can enter a network on a mapping, and what limits them. Plain data.
struct capacity {
  double throughput = 0;         // the least of the limits, records a second
  std::vector<double> limit;     // by component: its limit, including the cores and resources it shares with others
  std::vector<double> by_cores;  // by component: its limit if resources were without bound
  std::vector<double> alone;     // by component: its limit as if it shared no core
  std::vector<double> busy;      // by core: its busy part while components run at their limits by cores
  int component = -1;            // the component that limits alone, or -1
  core_set cores;                // if -1: the shared cores that limit together
  int resource = -1;             // the resource that limits its users together, or -1; no cores do where there is one
};

// Computes the capacity of a mapping. By the work-conserving rule the lanes of a component take the time that the
// others leave. The limit of components that share cores is then a linear program. It maximises the rate at which
// records can be dealt to lanes such that no core works more than all of the time. Cores with the same components in
// the same lanes are one core of the program.
//
// Components that share no cores, not even through others, are independent. Each has the limit (sum of 1/T over its
// lanes) / V. Where records come too seldom for a finite limit, the limit is infinite.
//
// Resources bound the invocations at a time of each component, and by their means those of all that need one.
//
// REQUIRES: visits by component; for the visited components, check(given, network, cores) finds no fault.
capacity capacity_of(const network_model& network, const std::vector<double>& visits, const mapping& given, int cores,
                     sharing rule);

// The invocations a second of all lanes of a component, as if it shared no core: mu.
double service_rate(const network_model& network, const mapping& given, std::size_t component);

}  // namespace weir
