#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "model/estimator.hpp"
#include "runtime/engine/hang.hpp"
#include "runtime/record/errors.hpp"
#include "scheduler/view/decision.hpp"

namespace [[gnu::visibility("default")]] weir {

// What one component did and cost. Times in seconds.
struct component_report {
  std::string name;
  std::string place;  // "own cores {0-1}, 1 lane", "shared group", "inline": where it runs now
  int cores = 0;      // of its own; 0 in the shared group
  int width = 1;
  std::uint64_t invocations = 0;  // exact once the run is drained
  std::uint64_t failures = 0;
  std::uint64_t observations = 0;
  double mean_seconds = 0;       // of the timed invocations; NaN when none was
  double total_seconds = 0;      // of the timed invocations
  double visits = 0;             // invocations for each record that enters, lately: what decisions expect of the next
  double observed_visits = 0;    // the same over the whole run; NaN before the first record
  double predicted_seconds = 0;  // for each record that enters, on its share (expectation.hpp); NaN: unknown
  double predicted_utilisation = 0;  // at the network's arrival rate; of a member of the shared group: the group's
  double utilisation = 0;  // timed seconds x cores over the run's seconds x own cores; NaN in the shared group
  description model;
};

// How the network as a whole did, beside what the models expect of it on the allotment in force and for inputs as they
// came lately. NaN: not known.
struct network_report {
  double arrival_rate = 0;          // records a second that entered, over the whole run
  double predicted_throughput = 0;  // records a second that could enter at most (scheduler/expect/flow.hpp)
  double predicted_latency = 0;     // seconds from a record's entry until all that it causes has left, at that rate
  std::uint64_t followed = 0;       // records whose latency was measured
  double latency_mean = 0;          // of those, seconds
  double latency_p50 = 0, latency_p99 = 0;  // of the last 1024 of those
};

// Where records go: from one component to another for each that enters the network, lately, whatever lies between; what
// goes round in a loop counts once.
struct link_report {
  std::string from, to;  // "input": of the network
  double records = 0;
};

// One stream between components.
struct stream_report {
  std::string from, to;       // component names; "input" and "output" at the ends
  std::uint64_t records = 0;  // that were handed over in it; those whose box ran inline in whoever brought them are not
  std::size_t capacity = 0;   // in force; 0 = unbounded
  std::size_t peak = 0;       // most that waited at once
  // Records there must be room for, the one in work included, so that one in twenty at most finds none, at the
  // network's arrival rate and by the models (scheduler/expect/queueing.hpp); no more than 64. 0: not known.
  std::size_t predicted = 0;

  // Watched, option monitor; NaN: not known, as where that is off. All since the start of the run.
  double occupancy = std::numeric_limits<double>::quiet_NaN();        // waiting on the average, over time (an estimate)
  double blocked_seconds = std::numeric_limits<double>::quiet_NaN();  // while it was full and a writer waited for room
  double bytes = std::numeric_limits<double>::quiet_NaN();            // that came, by option record_bytes and what left
};

// A synchrocell that still holds records.
struct held_report {
  std::string path;
  std::size_t records = 0;
};

// What a run did, as far as it has come. A plain value.
struct run_report {
  std::string policy, machine;
  double seconds = 0;                                            // since start; stands still when the run has ended
  std::uint64_t sent = 0, results = 0, failed = 0, dropped = 0;  // records
  std::vector<std::pair<std::string, std::uint64_t>> failed_by;  // kinds of errors that occurred, and how often
  std::uint64_t held = 0;            // records that synchrocells hold: at the end of the stream they are dropped
  std::vector<held_report> held_at;  // where, once the run has drained; the first 100
  std::uint64_t unfolded = 0;        // stages of stars and branches of splits that were made
  std::uint64_t removed = 0;  // of those: stages that could only pass records on, branches that a new one could replace
  bool monitored = true;      // option monitor: off, nobody looked at how full streams were
  network_report network;
  std::vector<component_report> components;
  std::vector<link_report> links;
  std::vector<stream_report> streams;
  // The first and the last 4095.
  std::vector<decision> decisions;
  std::vector<failure> failures;         // the newest 100 of those that are kept, in the order in which they came
  std::uint64_t failures_not_shown = 0;  // others of `failed`: older ones, and those that take_errors() returned
  std::vector<hang> hanging;             // invocations that run and were found to hang (watchdog), as of the last look
  std::uint64_t hung = 0;                // that were ever found to
  std::vector<std::string> notes;        // what the machine did not allow
  std::vector<std::string> names;        // of the components, for printing allotments

  std::string brief() const;  // a few lines
  std::string full() const;   // everything, for reading
  std::string json() const;   // everything, for programs
};

std::ostream& operator<<(std::ostream& to, const run_report& r);  // full()

}  // namespace weir
