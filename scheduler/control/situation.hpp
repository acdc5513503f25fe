#pragma once

#include <cstdint>

#include <weir/scheduler/policies/policy.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/control/controller_options.hpp"
#include "scheduler/control/indexing.hpp"

namespace weir {

// All that the rules of a controller decide by in one step. Refers to the view, which outlives it.
struct situation {
  const system_view& view;  // with the inputs to expect, and with times as long as they are believed to be
  assessment now;           // of view.current
  int reference;            // the component whose invocations tell how long view.current has been in force
  bool is_best = false;     // the policy was asked, and nothing that it knows promises a gain
  bool is_for_swings =
      false;  // the allotment in force is, or the best one would be, a compromise for a stream that swings

  // Whether component i was invoked at least `times` times on the allotment in force.
  bool has_run(int i, int times) const {
    return at(view, i).invocations_since_move >= static_cast<std::uint64_t>(times);
  }
  bool has_run(int times) const { return has_run(reference, times); }
};

// The critical component, or, for the shared group, the member with the most seconds.
inline int reference_component(const allotment& given, const assessment& now) {
  if (now.critical >= 0) return now.critical;
  int largest = 0;
  for (int i = 0; i < static_cast<int>(given.components.size()); ++i)
    if (at(given, i).is_member() && (!at(given, largest).is_member() || now.seconds_of(i) > now.seconds_of(largest)))
      largest = i;
  return largest;
}

// Seconds: as measured, else as configured.
inline double cost_of_a_move(const system_view& view, const controller_options& options) {
  return view.move_cost > 0 ? view.move_cost : options.move_cost;
}

}  // namespace weir
