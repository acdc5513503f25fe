#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weir/engine/hang.hpp>
#include <weir/model/estimator.hpp>
#include <weir/network/graph.hpp>
#include <weir/options/saved_model.hpp>
#include <weir/record/errors.hpp>
#include <weir/scheduler/view/decision.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace [[gnu::visibility("default")]] weir {

// The work and the cost of one component. Times are in seconds.
struct component_report {
  std::string name;                // of its box
  std::string place;               // "own cores {0-1}, 1 lane", "shared group", "inline": where it runs now
  int cores = 0;                   // of its own; 0 in the shared group
  int width = 1;                   // lanes
  std::uint64_t invocations = 0;   // exact once the run is drained
  std::uint64_t failures = 0;      // of these: records that an error ended in it
  std::uint64_t observations = 0;  // of these: timed, and shown to its model
  double mean_seconds = 0;         // of the timed invocations; NaN when none was
  double mean_cores = 0;           // that they had, weighted by their time; NaN when none was timed
  double total_seconds = 0;        // of the timed invocations
  double visits = 0;             // invocations for each record that enters, recently: what decisions expect of the next
  double observed_visits = 0;    // the same over the whole run; NaN before the first record
  double predicted_seconds = 0;  // for each record that enters, on its share (expectation.hpp); NaN: unknown
  double predicted_utilisation = 0;  // at the network's arrival rate; in the shared group: of its own lanes there
  double utilisation = 0;  // timed seconds x cores over the run's seconds x own cores; NaN in the shared group
  // Threads that its invocations computed on besides those of its lanes, or all of its processes, and the cores that
  // all wanted beyond the grant, even without getting them. The most between two looks of the watchdog. 0: no more than
  // granted.
  int own_threads = 0;
  double cores_beyond_grant = 0;
  // Processes may do the work of the box. Then these are the largest resident memory of one, and the mean seconds for
  // the start of a process and for values on their way, which mean_seconds leaves out.
  std::uint64_t process_peak_bytes = 0;                                // 0: unknown, or there is no process
  double process_overhead = std::numeric_limits<double>::quiet_NaN();  // NaN: there is no process
  // Invocations that waited for resources (box_network::needs()), and the seconds that they did, together.
  std::uint64_t resource_waits = 0;
  double resource_wait_seconds = 0;
  // Records of an invocation, the mean over the run, and the most that box_without_batch::batched() allows; 1: each
  // took one record.
  double records_together = 1;
  int most_together = 1;
  double busy = 0;  // share of the run's time that its lanes computed in; estimated where few were timed; NaN: unknown
  double held_up = 0;  // share of the run's time in which a stream behind it was full; NaN: unknown
  description model;
  // The model itself and the last timed invocations, of the 64 components with the most time; of others, empty.
  saved_model learnt;
  std::vector<invocation_sample> recent;
};

// How the network as a whole did, and what the models expect of it on the allotment in force, for inputs like the
// recent ones. NaN: unknown.
struct network_report {
  double arrival_rate = 0;          // records a second that entered, over the whole run
  double predicted_throughput = 0;  // records a second that could enter at most (scheduler/expect/flow.hpp)
  double predicted_latency = 0;     // seconds from a record's entry until all that it causes has left, at that rate
  std::uint64_t followed = 0;       // records whose latency was measured
  double latency_mean = 0;          // seconds, of these records
  double latency_p50 = 0, latency_p99 = 0;  // of the last 1024 of them
  // The busy part of the shared group's time, by the models, at the arrival rate; NaN: it has no member.
  double predicted_group_utilisation = std::numeric_limits<double>::quiet_NaN();
  // The component that limits the predicted throughput; empty: unknown. Where the shared group does, it is the member
  // that the group's time is due to.
  std::string bottleneck;
  bool bottleneck_is_shared = false;  // a member of the shared group
};

// The records in flight in the network as a whole (options max_in_flight and max_bytes_in_flight). Counted only with
// such a limit, since it costs each record something.
struct in_flight_report {
  std::uint64_t records = 0, limit = 0, peak = 0;            // limit 0: there is none
  std::uint64_t bytes = 0, bytes_limit = 0, bytes_peak = 0;  // known where there is a limit of bytes
  // While a sender or initialiser waited since there were as many as allowed; NaN: unknown, for example option monitor.
  double blocked_seconds = std::numeric_limits<double>::quiet_NaN();
  bool counts_records() const { return limit > 0 || bytes_limit > 0; }  // whether there is a limit
  bool counts_bytes() const { return bytes_limit > 0; }                 // whether there is a limit of bytes
};

// A resource that boxes of the run need. Runs on one machine share it, so the amounts are of all of them.
struct resource_report {
  std::string name;         // of the resource
  std::int64_t total = 0;   // of it
  std::int64_t in_use = 0;  // by the invocations that run now
  std::int64_t peak = 0;    // the most that was in use at a time
};

// A box that runs on a device as well (box_network::on()), on this rank. Times are in seconds.
struct device_report {
  std::string device, component;  // their names
  int slots = 0;                  // of the device
  int peak = 0;                   // the most slots that were in use at a time, by any box
  std::uint64_t invocations = 0;  // on the device; the others of the component ran on cores
  std::uint64_t errors = 0;       // of these: threw, and their records went on to cores
  std::uint64_t explored = 0;     // records that ran where they are slower, to learn how much
  double mean_seconds = 0;        // of a record, in the last 64 or so invocations there; NaN: there was none
  double total_seconds = 0;       // of all of them
  double left_alone = 0;          // for which the box will not use the device, after an error; 0: it does
  // The predictor value at which both are equally fast, by the models, a slot alone against a lane as it is now: the
  // device is faster above it. NaN: unknown, or none lies among the values that were observed.
  double crossing = std::numeric_limits<double>::quiet_NaN();

  // The cost of records of one size, by the models of both sides.
  struct input {
    double x = 0;               // the predictor value
    double on_cores = 0;        // on a lane as it is now
    double on_device = 0;       // on a slot, while the others are idle
    double on_full_device = 0;  // on a slot, with all in use
  };
  std::vector<input> inputs;  // 16 equal parts of the last 64 records, in order of x; empty: one side is not known

  // For boxes that take batches. Their times are those of a record in invocations of the preferred sizes.
  std::uint64_t records = 0;                          // that the device ran: those of its invocations without an error
  std::size_t size_on_cores = 1, size_on_device = 1;  // records that an invocation takes there, as preferred now
};

// Where records go: from one component to another, whatever lies between. Recent traffic only; a record that loops
// counts once.
struct link_report {
  std::string from, to;  // component names; "input" is the network's, "(input)" where a component is called so
  double records = 0;    // for each that enters the network
};

// One stream between components.
struct stream_report {
  std::string from, to;       // component names; "input" and "output" at the ends, or "(input)", "(output)" likewise
  std::uint64_t records = 0;  // handed over in it, without records whose box ran inline
  std::size_t capacity = 0;   // in force; 0 = unbounded
  std::size_t peak = 0;       // most that waited at a time
  // The places needed, with the record in work, so that at most one record in twenty finds none. By the models, at the
  // network's arrival rate (scheduler/expect/queueing.hpp); at most 64. 0: unknown.
  std::size_t predicted = 0;

  // Watched by option monitor, since the start of the run. NaN: unknown, for example because that is off.
  double occupancy = std::numeric_limits<double>::quiet_NaN();        // records waiting, the mean over time (estimated)
  double blocked_seconds = std::numeric_limits<double>::quiet_NaN();  // while it was full and a writer waited for room
  double bytes = std::numeric_limits<double>::quiet_NaN();            // of the records that came; option record_bytes
};

// One rank of a run on several (weir/mpi.hpp), and what a record costs on its way to it from rank 0, as measured by
// plain MPI when the session began. NaN: not measured, as of rank 0 itself.
struct rank_report {
  // The rank's work for one component.
  struct part {
    std::string component, place;   // its name, and where it ran there, as in component_report
    int cores = 0;                  // of its own
    int width = 1;                  // lanes
    std::uint64_t invocations = 0;  // of its box there
    double total_seconds = 0;       // of the timed ones
    double busy = 0;                // part of the run's time
  };
  int rank = 0;
  std::string machine;                                                 // in words; empty: the rank has told nothing
  int cores = 0;                                                       // of it
  double latency = std::numeric_limits<double>::quiet_NaN();           // seconds, one way
  double record_seconds = std::numeric_limits<double>::quiet_NaN();    // a small message, one of many
  double bytes_per_second = std::numeric_limits<double>::quiet_NaN();  // of large messages
  std::vector<part> components;                                        // that ran there, in network order
};

// A synchrocell that still holds records.
struct held_report {
  std::string path;         // its place, such as ":S2"
  std::size_t records = 0;  // that it holds
};

// The demand of the policy's objective (objective::demand), and for how much of the run's time it was met. The
// stretches of the run's history are judged one by one.
//
// A stretch misses a demand on p99 if more than one in a hundred of the records that were followed to their end in it
// took longer. It also does if no record came to its end while one was inside for longer.
//
// A stretch misses a demand on the rate if fewer records entered although more were offered. The offered rate is the
// number that entered, over the time in which no record waited for room to enter. It is unknown without option monitor,
// and a refused try_send() does not count as offered.
//
// A stretch that misses nothing has met the demand if a followed record came to its end in it. Without a demand on p99,
// it has if a record entered and it is known that no more were offered. Other stretches do not count.
struct goal_report {
  std::string words;                                             // "p99 at most 400 ms at 40 records a second"
  double latency_p99 = std::numeric_limits<double>::infinity();  // demanded seconds; infinite: none
  double rate = 0;                                               // demanded records a second
  double seconds = 0;                                            // of the run's time, in stretches that count
  double seconds_met = 0;                                        // of these, in stretches that met it
  double seconds_late = 0;  // of the others, in stretches that missed the p99; the rest missed the rate alone
};

// How the run did during one stretch of its time. Numbers of records are of that stretch alone. NaN: unknown.
struct history_row {
  double time = 0;                                  // its end, seconds since the start
  double seconds = 0;                               // its length
  std::uint64_t sent = 0, results = 0, failed = 0;  // records in this stretch
  double predicted = 0;                             // records a second that could enter, by the models
  std::uint64_t followed = 0;                       // records whose latency was measured
  double latency_p50 = 0;                           // seconds, of the last 1024 of these; of joined rows, their mean
  double latency_p99 = 0;                           // the same; of joined rows, the larger
  double waiting = 0;                               // records in streams, at its end; of joined rows, their mean
  // The share of the machine's cores that others had, as run_report::foreign_load. It is measured by the last two looks
  // of the controller at its end, which are 0.25 s apart or more; joined rows have the mean.
  double foreign = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t emitted = 0, ended = 0;  // records in this stretch, as run_report::emitted and records_ended
  double judged_seconds = 0;  // of `seconds`, those that count for the goal (goal_report); of one row all or none
  double met_seconds = 0;     // of these, those in which it was met
  double late_seconds = 0;    // of the others, those in which the p99 was missed
};

// The parts of a report's JSON.
enum class report_part {
  all,
  update  // what a viewer needs that had all before: no graph, no curves, the last rows and decisions, 200 components
};

// The work of a run so far; execution::report() returns it. A plain value: it does not change while the run goes on.
// Its counters are read one after the other, so while the run goes on they may differ by the records under way. All are
// exact once the run has drained.
struct run_report {
  std::string policy, machine;  // their names in words
  int cores = 0;                // of the machine
  bool ended = false;           // drained or stopped
  double seconds = 0;           // since start; stands still when the run has ended
  // The share of the machine's cores, 0 to 1, that other processes and the hypervisor had during the run: the mean of
  // history_row::foreign. NaN: unknown, as for the first 0.3 s of a run and on synthetic machines.
  double foreign_load = std::numeric_limits<double>::quiet_NaN();
  double began = std::numeric_limits<double>::quiet_NaN();  // when it started: seconds since 1970, UTC; NaN: unknown
  std::uint64_t sent = 0, results = 0, failed = 0, dropped = 0;  // records
  // Records that initialisers emitted: they enter the network as sent ones do.
  std::uint64_t emitted = 0;
  // Records that ended in a sink, or in a fold that gave nothing for them. (`ended` tells whether the run has.)
  //
  // Once the run has drained, or, after stop() or an error, once iteration or wait() has ended, where every other
  // entity gives one record for one,
  //
  //   sent + emitted = results + records_ended + failed + dropped + held + away.
  //
  // Neither side has what boxes and filters multiply or consume, what synchrocells join, and what folds give at the end
  // of their input. An initialiser that throws is one of `failed`.
  std::uint64_t records_ended = 0;
  std::vector<std::pair<std::string, std::uint64_t>> failed_by;  // kinds of errors that occurred, and how often
  // Records that left this rank for others, less those that came from them; of the whole run, those on their way.
  // Records that a stop or an error left on their way, or at a lost rank, are dropped. If the run went on without a
  // lost rank, `away` counts the records that it took along.
  std::int64_t away = 0;
  std::uint64_t held = 0;            // records that synchrocells hold: at the end of the stream they are dropped
  std::vector<held_report> held_at;  // where, once the run has drained; the first 100
  std::uint64_t unfinished = 0;      // states of folds that did not finish, since the run was stopped
  std::uint64_t unfolded = 0;        // stages of stars and branches of splits that were made
  std::uint64_t removed = 0;  // of these: stages that could only pass records on, branches that a new one could replace
  std::vector<resource_report> resources;    // that boxes need, by name
  std::vector<device_report> devices;        // boxes that run on them, in network order
  in_flight_report in_flight;                // records that entered and whose consequences have not all left
  bool monitored = true;                     // option monitor; off: it is unknown how full streams were
  network_report network;                    // as a whole
  std::optional<goal_report> goal;           // none: the policy's objective demands nothing that a run could miss
  std::vector<component_report> components;  // in network order
  std::vector<link_report> links;            // between components
  std::vector<stream_report> streams;        // between components, and at the ends
  std::vector<rank_report> ranks;            // by number; empty: the run is in one process
  // How it did over time. At first a row is at least 0.05 s long; there are at most 600; whenever there were more, each
  // two became one. Rows come from the run's controller, so a machine without threads has one row, when the run ended.
  std::vector<history_row> history;
  std::shared_ptr<const network_graph> graph;  // of the network; of more than 2,000 parts only their number; or null
  // The first decision and the last 1023 (controller::most_decisions).
  std::vector<decision> decisions;
  std::uint64_t decisions_not_shown = 0, reverted_not_shown = 0;  // the others, and how many of these were reverted
  std::vector<failure> failures;         // the newest 100 that are kept, oldest first, without their records
  std::uint64_t failures_not_shown = 0;  // the rest of `failed`: older ones, and what take_errors() returned
  std::vector<hang> hanging;             // invocations that run and were found to hang, as of the watchdog's last check
  std::uint64_t hung = 0;                // how many ever were found to hang
  // Reasons why the run waits, a sentence each, if it has made no progress for 5 s; empty while it makes progress. The
  // log has the first sentence of each kind.
  std::vector<std::string> waits_for;
  std::vector<std::string> notes;  // what the machine did not allow, boxes that wait, unusable predictor values
  std::vector<std::string> names;  // of the components, for printing allotments

  // From this foreign load on texts mention it: times of invocations, and ratios between runs, may be off by as much. A
  // quiet machine has some hundredths, and the looks err by as much.
  static constexpr double notable_foreign_load = 0.1;
  bool has_foreign_load() const { return foreign_load >= notable_foreign_load; }  // false where it is unknown

  // A few lines: totals, a line for each component, records held, invocations that hang, what the run waits for, and a
  // notable foreign load.
  std::string brief() const;
  // Everything, in tables for reading. Unknown values are shown as "-".
  std::string full() const;
  // Everything, for programs: one JSON object. Unknown numbers are null, and invalid UTF-8 is replaced. Its keys are
  // described in runtime/page/README.md.
  std::string json(report_part part = report_part::all) const;
  // Everything, for people: a page to be looked at in a browser, without a server or a network. It carries json().
  // Without a title it has the name of the program. If weir was built without its page (has_page()), the page is full()
  // as text, and names the missing parts.
  std::string html(const std::string& title = "") const;
};

std::ostream& operator<<(std::ostream& to, const run_report& r);  // full()

}  // namespace weir
