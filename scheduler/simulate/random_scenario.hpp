#pragma once

#include <cstdint>
#include <string>

#include "scheduler/simulate/scenario.hpp"

namespace weir::simulation {

// Scenarios whose components are drawn anew for each seed, from fixed distributions. Plain data.
//
//   `k0`  Stationary.
//   `k1`  Four phases.
//   `k2`  Like k1, with contention and staircases.
//   `k3`  Like k1, with late invocations.
//   `k4`  All of these.
//
// The network is a chain. On one core at x = 1000 a component takes 20 ms to 2 s, log-uniform. Tseq is a polynomial of
// degree 1, 2 or 3: its highest term is half to all of that time, and its constant is the rest. The serial share 1 -
// alpha is log-uniform in 0.001..0.2. All times carry 5 % log-normal noise.
//
// Each component has an x of its own, uniform in [c/2, 3c/2], with c log-uniform in 500..2000. For k0, c is drawn once;
// in the other kinds it is drawn for each of the four phases, which are equally long. So other components become the
// heavy ones, and models that know x can know by how much.
//
// Contention is in every second component: (p - 1) alpha/p*^2 of Tseq in addition, with p* log-uniform in 12..96. So
// more than p* cores take longer again. Staircases are in every second component as well: 8 to 64 equal pieces,
// log-uniform. Late invocations occur with probability 0.02 and take Pareto(2, 1.5) times as long.
struct workload {
  enum class kind { k0, k1, k2, k3, k4 };

  kind what = kind::k1;
  int stages = 6;
  int cores = 48;
  std::uint64_t records = 4000;
  double move_cost = 0.05;  // seconds
  int max_width = 1;

  // Throws std::invalid_argument naming the field, what was given and what was expected.
  void validate() const;
};

std::string to_string(workload::kind what);  // "K0"

// Draws the scenario of a seed. REQUIRES: how.validate() passed.
scenario random_scenario(const workload& how, std::uint64_t seed);

}  // namespace weir::simulation
