#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/control/controller.hpp"
#include "scheduler/policies/policy.hpp"
#include "scheduler/simulate/scenario.hpp"
#include "scheduler/simulate/simulated_network.hpp"

namespace weir::simulation {

// A policy in a simulation: a rule, what acts on it, and what it learns with. A value.
struct contender {
  std::string name;
  policy rule;
  controller_options control = {};
  std::string estimator = "weir";  // as make_estimator knows it
  simulated_network::predictor shown = simulated_network::predictor::known;
};

// A move that was planned before the run.
struct planned_move {
  std::uint64_t records = 0;  // that have entered, or left, when it is made
  bool when_left = false;
  allotment to;
};

// A component at one moment of a run. Throughputs are in records that enter the network, a second.
struct timeline_row {
  double time = 0;  // seconds
  std::size_t component = 0;
  int cores = 0;  // of its own; 0 in the shared group
  int width = 1;
  double predicted = 0;  // what it could do by its model; NaN where nothing was learnt
  double observed = 0;   // what it did since the row before
};

// What came of a run. Times in seconds.
struct simulated_result {
  std::uint64_t records = 0;
  double seconds = 0;     // until the last record had left
  double throughput = 0;  // records a second
  double latency_mean = 0, latency_p50 = 0, latency_p99 = 0;
  std::uint64_t moves = 0;          // after the initial allotment
  std::vector<double> utilisation;  // by component: core seconds over the run's seconds x all cores; 0 outside
  std::vector<double> waited;       // by component: mean time of a record in the queue at its input
  std::vector<decision> decisions;  // of the controller; none of a plan
  std::vector<timeline_row> timeline;
};

// Runs a scenario under a policy, as runtime/ would run it: the same learner, controller and rule, looked at after an
// invocation, not while a move is under way. Differences: the first 100 looks are a millisecond apart at least, the
// others 20 ms, whatever they would take; the cost of a move is known from the start (system_view::move_cost) instead
// of guessed, looking takes no time, and nothing runs inline. A rule that does not adapt is not given models to learn
// with.
//
// `rows` > 0: so many moments in the timeline, equally many records apart, and one for each move.
//
// Throws std::invalid_argument when the rule cannot apply or the records cannot move, std::logic_error when an
// invariant does not hold (simulated_network.hpp). REQUIRES: of.validate() passed.
simulated_result run(const scenario& of, std::uint64_t seed, const contender& who, int rows = 0);

// The same with allotments that are known before; the first counts from the start. REQUIRES: not empty.
simulated_result run(const scenario& of, std::uint64_t seed, const std::vector<planned_move>& plan, int rows = 0);

// What is known of the scenario before anything ran: components without models, machine, cores, links.
system_view view_before(const scenario& of);

}  // namespace weir::simulation
