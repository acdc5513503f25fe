#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <weir/engine/hang.hpp>
#include <weir/engine/trace.hpp>
#include <weir/machine/machine.hpp>
#include <weir/model/observation.hpp>
#include <weir/network/device.hpp>
#include <weir/network/resource.hpp>
#include <weir/options/measured_time.hpp>
#include <weir/options/saved_model.hpp>
#include <weir/options/saved_run.hpp>
#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/best_fixed.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include <weir/scheduler/policies/fixed_shares.hpp>
#include <weir/scheduler/policies/policy.hpp>
#include <weir/scheduler/view/held_function.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {
// A run, and a loop over its results; declared here, since all that define or name them include this.
class [[gnu::visibility("hidden")]] run_state;
class [[gnu::visibility("hidden")]] reading;
}

class record;  // <weir/record/record.hpp>

// The reaction of a run to a record that ends by an error.
enum class on_error {
  stop,    // the run stops; iteration, send or wait throw the error to the caller
  collect  // the run goes on; execution::errors() has them
};

// The reaction of a run to the loss of one of several ranks (weir::mpi).
enum class on_failure {
  stop,     // the run ends on every rank, with an error that names the lost one
  reassign  // what ran there goes to others, if it is branches of splits by tag without state; else as above
};

// Whether a run shares cores with runs of other processes of the same user on this computer that share them, too.
// Each process then has a part of the cores and leaves the rest to the others.
enum class neighbour_runs {
  by_environment,  // as WEIR_NEIGHBOURS says: `share` or `ignore`; without it as `share`
  share,
  ignore
};

// How a network runs: its policy, cores, limits and callbacks. A plain struct: set what you need, leave the rest;
// designated initialisers go in this order. start() checks it by validate(). The spdlog logger registered as "weir", or
// else one on stderr, warns of settings that the machine does not allow, of invocations that hang, and of a run without
// progress.
struct options {
  weir::policy policy = adaptive{objective::throughput};  // says which component has which cores
  weir::machine machine = machine::local();               // the cores that there are

  // Whether the process shares this computer's cores with others while this run goes on. It does as long as all its
  // runs say so. The processes tell each other by a file in the folder `weir` of the one that XDG_RUNTIME_DIR names;
  // without that folder each is alone. The cores are divided where each expects most of them, or else evenly; each has
  // one at least. A process that stops for 2 seconds, or ends, leaves its part to the others. A synthetic machine has
  // no neighbours.
  neighbour_runs neighbours = neighbour_runs::by_environment;

  // Records that a stream between two components holds before back-pressure stops its writers; at most 2^30. 0:
  // automatic, from the measured service time of its reader.
  std::size_t capacity = 0;

  // Results kept for the reader before the network is held back; at most 2^30. 0: automatic. Then it is the capacity of
  // a stream while a thread that does not send reads, or after close(). It is without bound while no thread reads, or
  // only the sending one: so sending everything and reading it afterwards works.
  std::size_t results_capacity = 0;

  // Records that may wait at any one place without a capacity. Such places are the way back in a star or feedback, the
  // exit of an ordered network, and the synchrocells of one place. One more ends with an error
  // (failure_kind::too_many_held). At least 1; the default is some gigabytes of small records.
  std::size_t max_held = 10'000'000;

  // Stages that a star may have; at most 2^30. A record that would need one more ends with an error
  // (failure_kind::too_deep). 0: any number. Then a record that never matches an exit makes stages until memory is used
  // up.
  std::size_t max_depth = 0;

  // Branches that a split may have at a time; at most 2^30. A record whose value would need one more ends with an error
  // (failure_kind::too_many_branches). 0: any number.
  //
  // A branch counts while a record is in it, or while it remembers one: in a synchrocell that holds a record or was
  // spent. A star whose body is a synchrocell remembers no spent ones, unless max_depth is set. Other branches are
  // removed, except for some thousands that came last. After many were all in use, one that no longer is may be found
  // only when a 64th as many records have been refused.
  std::size_t max_branches = 0;

  // Records in flight in the network as a whole; at most 2^30. When there are that many, send() waits, try_send()
  // returns false, and initialisers are held back. 0: any number, as far as streams have room.
  //
  // A record is in flight from its entry until all that it caused has left, failed, is held in a synchrocell, or was
  // absorbed by a sink, filter or fold. The output of a completed cell counts for the record that came last. Results
  // count only while they are bounded (results_capacity), and until the reader takes them; it takes all that wait
  // together. Outputs of folds at the end of the input do not count.
  //
  // An initialiser in an ordered network may have one record in flight beyond this, since others may wait until it is
  // over. A record that goes round until another comes counts: leave room for that other.
  //
  // Several ranks: the records that enter at rank 0 count wherever they are. Initialisers that run on other ranks are
  // not held back.
  std::size_t max_in_flight = 0;

  // Bytes of the records in flight, by record_bytes, which must be given; at most 2^62. A record counts with the bytes
  // that it had when it was let in. A record that is larger than this alone is let in while the others in flight have
  // no bytes. While it waits for that, smaller ones of other threads may still enter. 0: any number.
  std::uint64_t max_bytes_in_flight = 0;

  // The devices that boxes may run on, by box_network::on(). At most one of each name.
  std::vector<device> devices{};

  // The totals of resources that boxes need, by box_network::needs(). Each must have a total here.
  std::vector<resource> resources{};

  weir::on_error on_error = on_error::stop;  // whether a record's error ends the run

  // Whether a lost rank ends the run. With `reassign` other ranks run the branches of `at(split(net, <k>), <k>)` that
  // ran there, also for records under way there. That needs branches that keep no records or states, and nothing else
  // may run there. Records that went there are kept until all that they caused came back, and only then that goes on. A
  // record that was under way there may be worked on twice. Its outputs come once, but an error may be reported twice.
  weir::on_failure on_failure = weir::on_failure::stop;

  // Whether the branches of `at(split(net, <k>), <k>)` are spread over the ranks by load, and not by the value of
  // `<k>`. Then a branch runs at the rank that is predicted to complete its first record soonest: by the records under
  // way there, their measured times, and its cores. If it keeps no records and no states, it moves when another rank
  // would need less than two thirds of the time. Records of a branch stay in order all the same. Each rank that has
  // such parts decides for itself: set it on all.
  bool spread_keys = false;

  // Failures whose text is kept for execution::errors(): the newest, 1 to 2^30 of them. All are counted. The default is
  // some megabytes of short records, and more than anyone reads. To get each one, take them out in time by
  // execution::take_errors().
  std::size_t max_failures_kept = 4096;

  // The newest of these failures whose record is kept as well (failure::as_record), with all that its fields hold; 0 to
  // 2^30. The default suits records of some megabytes.
  std::size_t max_failed_records_kept = 64;

  // Whether send() may run the network itself. Then a send() into a network at rest runs the boxes behind the input on
  // the sender's thread. It does so if they are measured to cost less than waking a thread, and for at most some
  // thousand records a second. The record is through after a few microseconds, without a wake-up; the sender is held up
  // as long.
  //
  // Boxes that emit while they run, take a grant, or have limited width at several places are left to threads. So are
  // all boxes if the sender has less stack left than half of a new thread's stack, on which boxes may rely. Use it only
  // if no box or callback waits for what the sender does after that send, or for a lock that it holds. try_send() runs
  // nothing.
  bool inline_send = false;

  // Ends the run, as stop() does, when a stop is requested of its source: in the thread that requests it.
  std::stop_token stop{};

  // When an invocation counts as hanging, and who hears of it.
  weir::watchdog watchdog{};

  std::string estimator = "weir";                     // the model of every component: what make_estimator takes
  std::map<std::string, saved_model> prior_models{};  // by component name: start from these

  // Other runs, of other inputs and machines (read_runs). A component that prior_models does not name starts from one
  // of their models of its name: the likeliest by its first ten observations, times one factor. Its errors must be such
  // as its scatter explains. A model without a prior learns, too; it is in use where it predicts better or none fits.
  // After 60 observations one of them is left. A model of another degree, of other predictors or of a paper's estimator
  // is passed over, and report().notes says so.
  // Until it has observed something, such a component's cost is unknown. At most 64 models of a name.
  std::vector<saved_run> prior_runs{};

  // The time that models learn and by which moves are judged. By `automatic`, models learn what invocations would take
  // without other processes: wall-clock time less the time for which these kept the lane's threads off their cores.
  // Nothing is subtracted while other processes have less than run_report::notable_foreign_load of the cores. `wall`
  // never subtracts: choose it where an objective names a rate that must be kept next to them. `cpu` also leaves out
  // the waiting of boxes that wait for a device or a lock, except for boxes that say so by .blocking(). Where CPU time
  // or delays cannot be read (see observation), wall-clock time stands in. Observations have all of these times in any
  // case, and reports, utilisation and traces keep to the wall clock.
  measured_time learn_from = measured_time::automatic;

  // Called with every observation, once, by a thread of the run's own and without a lock. It is called soon, and before
  // iteration ends or wait() returns; the run waits while it is behind by some thousands. It may call the run, but
  // nothing that waits (execution.hpp). If it throws, report().notes says what. On a machine without threads it is
  // called inside the caller's own calls of the run.
  held_function<void(std::string_view component, const observation&)> on_observation{};

  // Collects events for a timeline: give it a copy of a tracer that you keep. With it every invocation is timed and is
  // an event, which costs time.
  std::optional<tracer> trace{};

  // Seconds between two lines about the run in spdlog's logger "weir", at level info, as long as the run does anything.
  // A line has records in, out and failed, results a second, the busiest component. At least 0.25; 0: no lines.
  double progress = 0;

  // Whether reports say how full each stream was over time, how long it kept writers waiting, and how many bytes went
  // through it (stream_report). That costs a record a nanosecond or two in each stream.
  bool monitor = true;

  // The bytes of a record, for stream_report::bytes; you say what counts as its size. Called when records leave a
  // stream, without a lock, by the threads that take them out, several at the same time. For each stream it is called
  // for the first 64 records, then for one in 64, and after 16,384 for one in 512. It should be quick. If it throws,
  // the record goes on; that stream's bytes are unknown, it is not called there again, and report().notes has the first
  // message. With max_bytes_in_flight it is also called for each record that is to be let in, by the thread that sends
  // it; if it throws there, that record counts without bytes.
  held_function<std::uint64_t(const record&)> record_bytes{};

  // Throws std::invalid_argument that names the option, what was given and what was expected.
  void validate() const;
};

}  // namespace weir
