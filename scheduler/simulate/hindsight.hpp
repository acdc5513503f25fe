#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/simulate/simulated_run.hpp"

namespace weir::simulation {

// The two runs that policies are compared with to tell their regret: what somebody could have done who knew everything
// before. Both know the truth, noise aside: mean times over each phase's distribution of x. Both may use any width that
// the boxes allow (simulated_component::max_width), as every policy may.
//
// best_fixed: the one allotment for the whole run with the most records a second. The candidates, simulated with the
// same random numbers: the best by expected times for every contiguous range of phases, those close to it, and equal
// shares; each that is expected to take no more than a fifth longer than the best of them.
//
// clairvoyant: goes from one of these candidates to another when a phase begins, at the same cost of a move. Which, and
// whether, minimises the time of the whole run (dynamic programming over phases), by each of three norms of expected
// times (fixed_search.hpp): which invocations will be late it does not know. It moves when the first record of a phase
// enters or when the last of the phase before has left. Of all these plans, and of staying with best_fixed, it is the
// one with the most records a second.
//
// So clairvoyant >= best fixed >= any candidate always holds; of throughputs within a thousandth, which a stream that
// is not saturated always has, the smaller mean latency wins. Another policy may be a little better than either: by
// going to and fro between two allotments it can have parts of cores, and it may be lucky.
struct hindsight {
  allotment fixed;
  simulated_result best_fixed;
  std::vector<planned_move> plan;
  simulated_result clairvoyant;
};

// `rows` as run() takes it. Throws what run() throws. REQUIRES: of.validate() passed.
hindsight regret_of(const scenario& of, std::uint64_t seed, int rows = 0);

// The views of somebody who knows the truth: one for each phase. Their models ignore x, and predict the mean over it.
std::vector<system_view> known_views(const scenario& of);

}  // namespace weir::simulation
