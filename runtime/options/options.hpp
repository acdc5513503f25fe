#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "model/observation.hpp"
#include "runtime/engine/hang.hpp"
#include "runtime/engine/trace.hpp"
#include "runtime/machine/machine.hpp"
#include "runtime/options/measured_time.hpp"
#include "scheduler/policies/adaptive.hpp"
#include "scheduler/policies/best_fixed.hpp"
#include "scheduler/policies/equal_shares.hpp"
#include "scheduler/policies/fixed_shares.hpp"
#include "scheduler/policies/policy.hpp"
#include "scheduler/view/held_function.hpp"

namespace [[gnu::visibility("default")]] weir {
namespace detail {
class [[gnu::visibility("hidden")]] run_state;  // a run; here, since all who define or name it include this
}

class record;  // runtime/record/record.hpp

// What happens when a record ends by an error.
enum class on_error {
  stop,    // the run stops; the caller meets the error while iterating, in send or in wait
  collect  // the run goes on; execution::errors() has them
};

// What a component cost, as it was learnt and can be started from. Made by execution::models(), written and read by
// write_models and read_models.
struct saved_model {
  std::string estimator;
  int degree = 0;
  std::vector<double> state;
};

// How a network runs. What the machine does not allow, and what hangs, is also said in spdlog's logger "weir": one that
// is registered under that name, else on stderr. A plain struct: set what you need, leave the rest; designated
// initialisers go in this order.
struct options {
  weir::policy policy = adaptive{objective::throughput};
  weir::machine machine = machine::local();

  // Records a stream between two components holds before it pushes back. 0: automatic, from the measured service time
  // of its reader.
  std::size_t capacity = 0;

  // Results kept for the reader before the network is held back. 0: as many as a stream while a thread of its own
  // reads, or after close(); without bound while nobody, or only the thread that sends, reads, so that sending
  // everything and reading it afterwards works.
  std::size_t results_capacity = 0;

  // Records that may wait, at any one place, where there is no capacity: on the way back in a star or feedback, for
  // their turn at the exit of an ordered network, in the synchrocells of one place. A record beyond that ends with an
  // error. The default is some gigabytes of small records.
  std::size_t max_held = 10'000'000;

  // Stages that a star may have. A record that would need one more ends with an error. 0: any number, and then a record
  // that never matches an exit makes stages until memory is used up.
  std::size_t max_depth = 0;

  // Branches that a split may have at once. A record whose value would need one more ends with an error. 0: any number.
  // What counts are branches that records are in, or that remember some: in a synchrocell that holds a record or was
  // spent. The others are removed, but for some thousands that came last. Where all of many were in use, one that no
  // longer is may be found only after a 64th as many records were refused.
  std::size_t max_branches = 0;

  weir::on_error on_error = on_error::stop;

  // Failures whose text is kept for execution::errors(), the newest; all are counted. The default is some megabytes of
  // short records, and more than anyone reads: who wants each one takes them out in time, execution::take_errors().
  std::size_t max_failures_kept = 4096;

  // send() into a network at rest runs what is behind the input there and then, on the sender's thread, where that is
  // measured to cost less than waking a thread for it; not for more than some thousand records a second. The record is
  // through after a few microseconds, not after a wake-up, and the sender is held up for as long. Boxes that emit while
  // they run, that take a grant, or of limited width at several places are left to threads. Only for boxes and
  // callbacks that never wait for what the sender does after that send, nor for a lock that it holds. try_send() runs
  // nothing.
  bool inline_send = false;

  // Ends the run as stop() does when a stop is requested of it, in the thread that requests.
  std::stop_token stop{};

  // When an invocation is said to hang.
  weir::watchdog watchdog{};

  std::string estimator = "weir";                     // the model of every component: what make_estimator takes
  std::map<std::string, saved_model> prior_models{};  // by component name: start from these

  // The time that models are given and moves are judged by. `cpu` where other processes use the same cores: what is
  // learnt then is what invocations would take without them. Of boxes that wait, for a device or a lock, it leaves out
  // the waiting, but not of those that say so by .blocking(). Wall-clock time stands in where CPU time is not read (see
  // observation::cpu_seconds). Whatever is chosen, observations have both times, and reports, utilisation and traces
  // keep to the wall clock.
  measured_time learn_from = measured_time::wall;

  // Called with every observation, once, by a thread of the run's own and without a lock: soon, and before iteration
  // ends or wait() returns. While it is behind by some thousands, the run waits for it. It may call the run, but for
  // what waits (execution.hpp). What it throws is named in report().notes. Where the machine has no threads the caller
  // of the run's functions calls it.
  held_function<void(std::string_view component, const observation&)> on_observation{};

  // Collects what happens, for a timeline: give it a copy of a tracer that you keep. Every invocation of a box that is
  // timed is an event, so it costs.
  std::optional<tracer> trace{};

  // Reports say how full each stream was over time, how long it held its writers up, and how many bytes went through
  // it (stream_report). Costs a record a nanosecond or two in each stream.
  bool monitor = true;

  // The bytes of a record, for stream_report::bytes: whatever the caller takes for its size. Called as records leave a
  // stream, by who takes them out and without a lock: for the first 64 of each stream, then for one in 64, and after
  // 16,384 for one in 512; by several threads at once. It should be quick. Of a stream for which it throws
  // the bytes are not known: the record goes on, it is not asked again there, and report().notes has the first message.
  held_function<std::uint64_t(const record&)> record_bytes{};

  // Throws std::invalid_argument that names the option, what was given and what was expected.
  void validate() const;
};

}  // namespace weir
