#pragma once

#include "model/observation.hpp"

namespace [[gnu::visibility("default")]] weir {

// Which time of an invocation is its cost to a model.
enum class measured_time {
  wall,  // observation::seconds
  cpu    // observation::cpu_seconds where it was read, else observation::seconds
};

inline double cost_of(const observation& seen, measured_time by) {
  return by == measured_time::cpu && seen.cpu_seconds > 0 ? seen.cpu_seconds : seen.seconds;
}

}  // namespace weir
