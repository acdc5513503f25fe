#pragma once

#include <optional>
#include <string>

#include "scheduler/view/allotment.hpp"

namespace [[gnu::visibility("default")]] weir {

// One decision of a controller and what came of it. Plain data. Gain is a ratio of costs (assessment::cost) less one:
// 0.1 is the time that a record costs, or its latency, divided by 1.1: for throughput ten percent more records a
// second.
struct decision {
  double time = 0;  // seconds since the run started
  allotment from;   // no components: the initial decision
  allotment to;
  std::string why;                      // a sentence with numbers
  double predicted_gain = 0;            // over the model's cost of `from`; 0 for the initial decision
  std::optional<double> realised_gain;  // cost of `from` over that of `to` as measured, for the same inputs
  bool reverted = false;                // a later decision went back to `from` since this one gave too little
};

}  // namespace weir
