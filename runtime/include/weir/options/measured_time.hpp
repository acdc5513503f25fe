#pragma once

#include <weir/model/observation.hpp>

namespace [[gnu::visibility("default")]] weir {

// Which time of an invocation models take as its cost (options::learn_from).
enum class measured_time {
  wall,      // observation::seconds: wall-clock time
  cpu,       // observation::cpu_seconds where it was read, else observation::seconds
  automatic  // wall-clock time without observation::delayed_seconds, which is 0 unless other processes take cores
};

// The cost of an observation by that choice, in seconds.
inline double cost_of(const observation& seen, measured_time by) {
  if (by == measured_time::automatic) return seen.seconds - seen.delayed_seconds;
  return by == measured_time::cpu && seen.cpu_seconds > 0 ? seen.cpu_seconds : seen.seconds;
}

}  // namespace weir
