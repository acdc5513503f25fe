#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scheduler/simulate/scenario.hpp"
#include "scheduler/simulate/simulated_run.hpp"
#include "tests/scheduler/views.hpp"

// Scenarios with known outcomes, for tests.
namespace weir::testing {

// Takes `seconds` for any x and cores.
inline simulation::simulated_component constant(std::string name, double seconds) {
  simulation::simulated_component c;
  c.name = std::move(name);
  c.cost = simulation::law_cost{{seconds}, 0, 0, 0, 0, {}};
  c.degree = 0;
  return c;
}

// A law of these coefficients and alpha, without contention.
inline simulation::simulated_component of_law(std::string name, std::vector<double> coefficients, double alpha,
                                              double noise, int width = 1) {
  simulation::simulated_component c;
  c.name = std::move(name);
  c.degree = static_cast<int>(coefficients.size()) - 1;
  c.cost = simulation::law_cost{std::move(coefficients), alpha, 0, 0, 0, {}};
  c.noise = noise;
  c.max_width = width;
  return c;
}

// Takes x seconds on any number of cores, x exponential with mean 1.
inline simulation::simulated_component exponential(std::string name) {
  simulation::simulated_component c = constant(std::move(name), 1);
  c.cost = simulation::law_cost{{0, 1}, 0, 0, 0, 0, {}};
  c.degree = 1;
  c.phases[0].x = {simulation::input_range::shape::exponential, 1, 0, {}};
  return c;
}

inline simulation::scenario network(int cores, std::uint64_t records,
                                    std::vector<simulation::simulated_component> components) {
  simulation::scenario s;
  s.cores = cores;
  s.records = records;
  s.components = std::move(components);
  return s;
}

// One core each in network order, in one lane; no group.
inline allotment one_core_each(const simulation::scenario& s) {
  allotment a;
  for (std::size_t i = 0; i < s.components.size(); ++i) a.components.push_back({{static_cast<int>(i)}, 1});
  return a;
}

// A run on one allotment.
inline simulation::simulated_result run_on(const simulation::scenario& s, const allotment& a, std::uint64_t seed = 1) {
  s.validate();
  return simulation::run(s, seed, std::vector<simulation::planned_move>{{0, false, a}});
}

}  // namespace weir::testing
