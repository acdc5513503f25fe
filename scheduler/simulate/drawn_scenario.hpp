#pragma once

#include <cstdint>
#include <string>

#include "scheduler/simulate/scenario.hpp"

namespace weir::simulation {

// Scenarios whose components are drawn anew for each seed: what is fixed is how they are distributed. Plain data.
//
//   k0  stationary       k1  four phases       k2  k1 with contention and staircases
//   k3  k1 with late invocations               k4  all of it
//
// A chain. On one core at x = 1000 a component takes 20 ms to 2 s, log-uniform. Tseq is a polynomial of degree 1, 2 or
// 3: half to all of that time is its highest term, the rest its constant. The serial share 1 - alpha is
// log-uniform in 0.001..0.2. All times carry 5 % log-normal noise.
//
// Each component has an x of its own, uniform in [c/2, 3c/2], with c log-uniform in 500..2000: drawn once for k0, and
// anew for each of the four phases, which are equally long, else. So other components become the heavy ones, and models
// that know x may know by how much.
//
// Contention, in every second component: (p - 1) alpha/p*^2 of Tseq on top, so that more than p* cores take longer
// again, with p* log-uniform in 12..96. Staircases, in every second one as well: 8 to 64 equal pieces, log-uniform.
// Late: with probability 0.02 an invocation takes Pareto(2, 1.5) times as long.
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

// The scenario of a seed. REQUIRES: how.validate() passed.
scenario random_scenario(const workload& how, std::uint64_t seed);

}  // namespace weir::simulation
