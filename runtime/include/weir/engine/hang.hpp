#pragma once

#include <limits>
#include <string>

#include <weir/scheduler/view/held_function.hpp>

namespace [[gnu::visibility("default")]] weir {

// An invocation that has run for far longer than expected and is still running. Plain data.
struct hang {
  std::string component;  // its name
  std::string path;       // of the box, as in errors; `*` stands for each number that is not known of a short box
  // The input record as text, "{body, <id>=7}": the values of its tags, and the names of its fields, whose values the
  // box may be changing. Empty: not known, as of a short box.
  std::string record;
  double x = std::numeric_limits<double>::quiet_NaN();  // predictor value; NaN: not known, as of a short box
  int cores = 0;                                        // of the invocation; 0: not known, as of a short box
  double seconds = 0;                                   // that it has run; for a box that emits: since it last did
  double expected = std::numeric_limits<double>::quiet_NaN();  // seconds that its model expects; NaN: it knows nothing
};

// "solve at :S2 has been running for 34.1 s at x = 2000 on 4 cores; 0.8 s were expected; record {mesh, <id>=7}"
std::string to_string(const hang& h);

// When an invocation counts as hanging. It is then reported once: in the log, in run_report::hanging and to on_hang.
// The run does nothing else about it, since a thread cannot be stopped in somebody else's code. To end it, call stop():
// the box sees that when it looks at its grant's stop().
//
// An invocation hangs when it has run for `at_least` seconds and for `times` the longest time that its model expects.
// That is the mean plus two standard deviations at its x and cores, but no more than three times the mean, however
// unsure the model is. If the model has seen nothing, it hangs after `unknown` seconds. Time inside emit does not
// count, and each emit starts a new count. Initialisers are left out: they may wait for input.
struct watchdog {
  double at_least = 10;  // seconds, > 0; infinity: nothing is ever reported
  double times = 10;     // >= 1
  double unknown = 60;   // seconds, > 0

  // Called by a thread of the run's own, one call at a time and without a lock. It may call the run, above all stop(),
  // but nothing that waits (see execution.hpp).
  held_function<void(const hang&)> on_hang{};
};

}  // namespace weir
