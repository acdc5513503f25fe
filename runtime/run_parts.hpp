#pragma once

#include "runtime/control_loop.hpp"
#include "runtime/hang_watch.hpp"
#include "runtime/learning.hpp"
#include "runtime/placing.hpp"
#include "runtime/report.hpp"
#include "runtime/results.hpp"
#include "runtime/run_environment.hpp"
#include "runtime/run_input.hpp"
#include "runtime/run_notes.hpp"

namespace weir::detail {

// What a report is made of.
struct run_parts {
  const options& chosen;
  machine_state& machine;
  run_environment& run;
  const unfolded& net;
  run_input& input;
  const results& output;
  placing& places;
  learning& learnt;
  const control_loop& control;
  const hang_watch& hangs;
  const run_notes& notes;
};

// What the run did so far. Thread-safe. Throws std::bad_alloc.
run_report report_of(const run_parts& of);

}  // namespace weir::detail
