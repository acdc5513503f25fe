#pragma once

#include <limits>
#include <string>

#include "scheduler/view/held_function.hpp"

namespace [[gnu::visibility("default")]] weir {

// An invocation that has run for far longer than expected, and still does. Plain data.
struct hang {
  std::string component;
  std::string path;  // of the box, as in errors; a `*` stands where a short box was not asked for the number
  double x = std::numeric_limits<double>::quiet_NaN();  // predictor value; NaN: a short box, not asked for it
  int cores = 0;                                        // that the invocation has; 0: not known, a short box
  double seconds = 0;                                   // that it has run; of a box that emits: since it last did
  double expected = std::numeric_limits<double>::quiet_NaN();  // seconds that its model expects; NaN: it knows nothing
};

// "solve at :S2 has been running for 34.1 s at x = 2000 on 4 cores; 0.8 s were expected"
std::string to_string(const hang& h);

// When an invocation is said to hang: in the log, in run_report::hanging and to on_hang, once. Nothing is done about
// it, since nothing can stop a thread in somebody else's code: who wants it to end calls stop(), which the box sees
// when it looks at its grant's stop().
//
// It is when it has run for `at_least` seconds and for `times` what its model expects at most, that is mean and two
// standard deviations at its x and cores (no more than three times the mean, however little the model is sure of);
// where the model has seen nothing, for `unknown` seconds. Time inside emit does not count, and each emit begins anew.
// Initialisers are left out: they may wait for input.
struct watchdog {
  double at_least = 10;  // seconds, > 0; infinity: nothing is ever said to hang
  double times = 10;     // >= 1
  double unknown = 60;   // seconds, > 0

  // Called by a thread of the run's own, one call at a time and without a lock. It may call the run, stop() above all,
  // but for what waits (execution.hpp).
  held_function<void(const hang&)> on_hang{};
};

}  // namespace weir
