#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/engine/failures.hpp"
#include "runtime/engine/placing_epoch.hpp"
#include "runtime/engine/timeline.hpp"
#include "runtime/engine/worker_pool.hpp"
#include "runtime/machine/float_state.hpp"
#include "runtime/machine/run_cores.hpp"
#include "runtime/streams/in_flight_limit.hpp"
#include "runtime/streams/latency_probe.hpp"
#include "runtime/streams/run_life.hpp"
#include "runtime/streams/run_owner.hpp"
#include "runtime/streams/stream_monitor.hpp"

namespace weir::detail {

class scope;
class error_site;
class observer;

// The options that regions, groups and entities read.
struct run_settings {
  std::size_t max_held;
  std::int64_t max_depth;
  std::size_t max_branches;
  std::size_t max_in_flight;
  std::uint64_t max_bytes_in_flight;
  bool stops_on_error;
  bool learns_cpu_time;
  bool subtracts_delays;  // by other processes, from the time that models learn
  bool looks_ahead;       // decisions depend on the records that wait
  double longest_batch;   // seconds of an invocation for several records; infinite: any
  bool monitors;
  stream_monitor::size_function record_bytes;
  std::optional<tracer> trace;
  int rank = 0;  // of this process, if several run the network
};

// Everything that regions, groups and entities know of their run.
struct run_environment {
  run_environment(run_owner& owner, machine_state& on, run_settings s, std::size_t failures_kept,
                  std::size_t failed_records_kept, failure no_memory);

  run_owner& run;
  detail::platform& platform;
  const run_settings settings;
  kept_floats floats{float_state::now()};  // of the thread that starts the run: all invocations have it
  failures errors;
  alignas(64) run_life life;  // what every thread writes lies apart from what every thread reads
  alignas(64) run_cores cores;
  stream_monitor monitor;
  in_flight_limit in_flight;
  timeline trace;
  alignas(64) placing_epoch placing;
  worker_pool workers;
  latency_probe latency{life, in_flight.is_on()};
  scope* outermost = nullptr;          // the network's own. This and the next are set before anything runs
  std::vector<observer*> observers{};  // of the network

  // Ends a record by an error.
  void record_failed(failure_kind kind, const error_site& at, record_body* r, std::string_view cause) noexcept;
  // With all but the record itself. here: it failed on this rank, and not on its way or on another.
  void record_failed(failure f, record_body* r, bool here) noexcept;

  // Ends the run by an error at a record, which goes on to live.
  void end_by(failure_kind kind, const error_site& at, const record_body& r, std::string_view cause) noexcept;

  // There is no memory for something that must not be left out: ends the run with that error. From anywhere, also under
  // locks.
  void out_of_memory() noexcept {
    errors.end_without_memory();
    run.end_soon();
  }

  // No thread could be started for this group: ends the run with that error.
  void lacks_threads(const std::string& group_name) noexcept;

  // Looks whether a box has left the worker's thread in another state, puts it back, and notes it. `box`: its name, ""
  // where it may have been any. Costs 1 us, so it is done where that is little, and otherwise once in a millisecond.
  void check_thread_state(worker& w, const std::string& box, double now) noexcept;
  void check_thread_state_if_due(worker& w) noexcept {
    if (const double now = life.now(); now >= w.next_state_check) check_thread_state(w, "", now);
  }

  scope& scope_of(const record_body& r) const { return r.where ? *r.where : *outermost; }
};

}  // namespace weir::detail
