#pragma once

#include <weir/report/report.hpp>
#include <weir/scheduler/policies/policy.hpp>
#include "runtime/engine/run_environment.hpp"
#include "runtime/run/control_loop.hpp"
#include "runtime/run/hang_watch.hpp"
#include "runtime/run/learning.hpp"
#include "runtime/run/placing.hpp"
#include "runtime/run/run_input.hpp"
#include "runtime/run/run_notes.hpp"
#include "runtime/run/thread_watch.hpp"
#include "runtime/statistics/run_history.hpp"
#include "runtime/statistics/stall_watch.hpp"
#include "runtime/streams/results.hpp"

namespace weir::detail {

// The parts that a report is made of.
struct run_parts {
  const policy& rule;
  machine_state& machine;
  run_environment& run;
  const unfolded& net;
  run_input& input;
  const results& output;
  placing& places;
  learning& learnt;
  const control_loop& control;
  const hang_watch& hangs;
  const thread_watch& threads;
  const run_notes& notes;
  const run_history& course;
  stall_watch& stalls;
  stall_watch::facts known;
  bool is_quiet;  // no invocation runs any more, and none will
};

// The report of the run so far. Thread-safe. Throws std::bad_alloc.
run_report report_of(const run_parts& of);

}  // namespace weir::detail
