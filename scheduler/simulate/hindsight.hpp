#pragma once

#include <cstdint>
#include <vector>

#include <weir/scheduler/view/objective.hpp>
#include "scheduler/simulate/simulated_run.hpp"

namespace weir::simulation {

// The two runs that define a policy's regret: what could be done with full knowledge in advance. Both know the truth,
// except for noise: the mean times over each phase's distribution of x. Both may use any width that the boxes allow
// (simulated_component::max_width), like every policy.
//
// `best_fixed` is the one allotment for the whole run with the most records a second. All candidates are simulated with
// the same random numbers. They are equal shares, and the best by expected times for every contiguous range of phases
// with those close to it. A candidate is simulated if it is expected to take at most a fifth longer than the best of
// them.
//
// Where phases differ in their cores, no one allotment can be kept. Then best_fixed is one allotment for each number of
// cores. It holds in all phases with that number, and changes only when the number does, at the cost of a move. With
// more cores it may also be one that uses fewer. The numbers are taken one after the other. For each the allotment with
// the best run is chosen, while the others keep theirs.
//
// `clairvoyant` changes from one of these candidates to another when a phase begins, at the same cost of a move.
// Dynamic programming over phases chooses the changes that minimise the time of the whole run. It does so for each of
// three norms of expected times (fixed_search.hpp), since late invocations are not known in advance. A move is made
// when the first record of a phase enters, or when the last one of the phase before has left. clairvoyant is the one of
// all these plans, and of staying with best_fixed, with the most records a second.
//
// Candidates for components with a device are searched for a usual part of their records on cores; which one is best,
// the runs tell.
//
// Slow-downs are known by their mean (mean_slow_down), not by when they come. The search for candidates knows nothing
// of pressure and sensitivity; the runs that choose among them do.
//
// For other objectives than throughput, decisions of the adaptive rule for each phase are candidates as well. For the
// fewest cores so are its decisions for demands near the given one. The best by advantage() wins in place of the most
// records a second.
//
// So clairvoyant >= best fixed >= any candidate always holds. If throughputs are within a thousandth, which is always
// so for a stream that is not saturated, the smaller mean latency wins. Another policy may be a little better than
// either. By alternating between two allotments it can use fractions of cores, and it may be lucky.
struct hindsight {
  allotment fixed;  // that best_fixed starts with
  simulated_result best_fixed;
  std::vector<planned_move> plan;
  simulated_result clairvoyant;
};

// How much better run `a` is than run `b` by an objective; 1: as good. It is the ratio of records a second, or of mean
// latencies, or of the cores that were used on average. Cores count more where the demand was not met. They are
// multiplied by the p99 over the demanded one, and by the records a second of the other run over this one's beyond a
// fiftieth.
double advantage(const objective& goal, const simulated_result& a, const simulated_result& b);

// Simulates both. `rows` has the meaning it has for run(). Throws what run() throws. REQUIRES: of.validate() passed.
hindsight regret_of(const scenario& of, std::uint64_t seed, int rows = 0, objective goal = objective::throughput);

// The views with knowledge of the truth, one for each phase. Their models ignore x, and predict the mean over it.
std::vector<system_view> known_views(const scenario& of);

}  // namespace weir::simulation
