#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include "scheduler/control/controller.hpp"
#include "scheduler/simulate/scenario.hpp"
#include "scheduler/simulate/simulated_network.hpp"

namespace weir::simulation {

// A policy in a simulation: a rule, the options of its controller, and its estimator. A value.
struct contender {
  policy rule;
  controller_options control = {};
  std::string estimator = "weir";  // a name for make_estimator()
  simulated_network::predictor shown = simulated_network::predictor::known;
  // By component: the models to start from, in place of new ones of `estimator`.
  std::map<std::string, std::shared_ptr<const weir::estimator>> prior = {};
};

// A move that was planned before the run.
struct planned_move {
  std::uint64_t records = 0;  // the records that have entered, or left, when the move is made
  bool when_left = false;
  allotment to;
};

// A component at one moment of a run. Throughputs are in records that enter the network, a second.
struct timeline_row {
  double time = 0;  // seconds
  std::size_t component = 0;
  int cores = 0;  // of its own; 0 in the shared group
  int width = 1;
  double predicted = 0;  // its possible throughput by its model; NaN where nothing was learnt
  double observed = 0;   // its throughput since the row before
};

// The network during one stretch of a run. Numbers of records are of that stretch alone.
struct course_row {
  double time = 0, seconds = 0;             // its end, and its length
  std::uint64_t entered = 0, left = 0;      // records
  double latency_p50 = 0, latency_p99 = 0;  // seconds, of the records that left; NaN without any
  double predicted = 0;                     // records a second that could enter, by the models; NaN: unknown
  std::uint64_t waiting = 0;                // records in queues, at its end
};

// A component on its device. Plain data.
struct device_use {
  std::size_t component = 0, device = 0;
  device_numbers seen;
  double records = 0;                                                          // of the component, wherever they ran
  double part() const { return static_cast<double>(seen.records) / records; }  // on the device
  double utilisation = 0;  // slot seconds of its invocations / (the run's seconds x the device's slots)
};

// The result of a run. Plain data; times are in seconds.
struct simulated_result {
  std::uint64_t records = 0;
  double seconds = 0;     // until the last record had left
  double throughput = 0;  // records a second
  double latency_mean = 0, latency_p50 = 0, latency_p99 = 0;
  double cores_used = 0;               // that components owned or shared, on average over the time
  std::uint64_t moves = 0;             // after the initial allotment
  std::vector<double> utilisation;     // by component: core seconds / (the run's seconds x all cores); 0 outside
  std::vector<double> waited;          // by component: mean time of a record at its input until it runs
  std::vector<device_use> devices;     // components with a device, in network order
  std::vector<double> resource_peaks;  // by resource: the most in use at a time
  std::vector<decision> decisions;     // of the controller, or the moves of a plan as they were made
  std::vector<timeline_row> timeline;
  std::vector<course_row> course;  // of the same moments
};

// Runs a scenario under a policy as runtime/ would, with the same learner, controller and rule. A control step may
// follow an invocation, but not while a move is under way. One follows immediately when a phase has other cores. It
// differs from the runtime in these ways. The first 100 steps are at least a millisecond apart and later ones 20 ms,
// whatever they would take. The cost of a move is known from the start (system_view::move_cost) and not guessed. Steps
// take no time, and nothing runs inline. A rule that does not adapt gets no models to learn with.
//
// Several machines: each has a controller and models of its own, and decides about its own cores and what runs there,
// as each rank of a run does. `decisions` is empty then; `moves` and `cores_used` are of all.
//
// With `rows` > 0 timeline and course have that number of moments, equally many records apart, and one for each move.
//
// Throws std::invalid_argument when the rule cannot apply or the records cannot move. Throws std::logic_error when an
// invariant does not hold (simulated_network.hpp). REQUIRES: of.validate() passed.
simulated_result run(const scenario& of, std::uint64_t seed, const contender& who, int rows = 0);

// The same with planned allotments; the first holds from the start. A move waits until the cores of its allotment are
// there, or is left out when the one after it is due before that. The decisions promise nothing: their predicted_gain
// is NaN. REQUIRES: the plan is not empty; there is one machine.
simulated_result run(const scenario& of, std::uint64_t seed, const std::vector<planned_move>& plan, int rows = 0);

// The knowledge about a scenario before anything ran: components without models, machine, cores, links. With several
// machines, the knowledge of one: for it the components of others are outside the cores, and no record reaches them.
// `cores` are those of all machines; null: they are made.
system_view view_before(const scenario& of, int machine = 0, std::shared_ptr<const topology> cores = {});

}  // namespace weir::simulation
