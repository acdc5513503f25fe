#pragma once

#include <weir/report/report.hpp>
#include "runtime/engine/run_environment.hpp"
#include "runtime/run/control_loop.hpp"
#include "runtime/run/learning.hpp"
#include "runtime/run/placing.hpp"
#include "runtime/run/run_input.hpp"
#include "runtime/run/run_notes.hpp"
#include "runtime/run/run_watches.hpp"
#include "runtime/streams/results.hpp"

namespace weir::detail {

// The parts that a report is made of.
struct report_parts {
  machine_state& machine;
  run_environment& run;
  const unfolded& net;
  run_input& input;
  const results& output;
  placing& places;
  learning& learnt;
  const control_loop& control;
  run_watches& watches;
  const run_notes& notes;
  bool is_quiet;  // no invocation runs any more, and none will
};

// The report of the run so far. Thread-safe. Throws std::bad_alloc.
run_report report_of(const report_parts& of);

}  // namespace weir::detail
