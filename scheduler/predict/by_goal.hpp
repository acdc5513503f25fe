#pragma once

#include <array>

#include <weir/scheduler/predict/mapping_search.hpp>

namespace weir {

// The costs of a mapping in the order in which the goal minimises them: seconds a record, latency, cores used.
inline std::array<double, 3> by_goal(mapping_goal::kind wanted, double seconds, double latency, double cores) {
  if (wanted == mapping_goal::kind::latency) return {latency, seconds, cores};
  if (wanted == mapping_goal::kind::cores) return {cores, seconds, latency};
  return {seconds, cores, latency};
}

}  // namespace weir
