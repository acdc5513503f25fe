#include "runtime/options/run_plan.hpp"

#include <cstdlib>
#include <limits>
#include <string>

namespace weir::detail {

namespace {

// The places of a stream when the user names no capacity; see settings_of() for the limit in force.
constexpr std::size_t automatic_capacity = 1024;

record_bound bound_of(std::size_t named, std::size_t otherwise) {
  return {.records = named ? named : otherwise, .is_automatic = named == 0};
}

// Option 0: any number.
template <class Number>
Number any_if_0(std::size_t most) {
  return most ? static_cast<Number>(most) : std::numeric_limits<Number>::max();
}

// The part of the wanted p99 that an invocation for several records may last: a record may wait for another before its
// own begins.
constexpr double part_of_goal = 0.5;
constexpr double any = std::numeric_limits<double>::infinity();

}  // namespace

run_plan plan_of(const options& o, int rank) {
  const char* const set = std::getenv("WEIR_NEIGHBOURS");
  const std::string asked = o.neighbours != neighbour_runs::by_environment || !set ? "" : set;
  const bool is_understood = asked.empty() || asked == "share" || asked == "ignore";
  const record_bound streams = bound_of(o.capacity, automatic_capacity);
  return {.streams = streams,
          .results = bound_of(o.results_capacity, streams.records),
          .settings = {.max_held = o.max_held,
                       .max_depth = any_if_0<std::int64_t>(o.max_depth),
                       .max_branches = any_if_0<std::size_t>(o.max_branches),
                       .max_in_flight = o.max_in_flight,
                       .max_bytes_in_flight = o.max_bytes_in_flight,
                       .stops_on_error = o.on_error == on_error::stop,
                       .learns_cpu_time = o.learn_from == measured_time::cpu,
                       .subtracts_delays = o.learn_from == measured_time::automatic,
                       .looks_ahead = o.policy.adapts() && !o.policy.decides_once(),
                       .longest_batch = o.policy.adapts() ? part_of_goal * o.policy.goal().p99() : any,
                       .monitors = o.monitor,
                       .record_bytes = o.record_bytes,
                       .trace = o.trace,
                       .rank = rank},
          .shares_cores = o.neighbours != neighbour_runs::ignore && asked != "ignore",
          .note = is_understood ? ""
                                : "WEIR_NEIGHBOURS is '" + asked +
                                      "' in the environment, expected share or ignore; cores are shared."};
}

}  // namespace weir::detail
