#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/view/allotment.hpp"

namespace [[gnu::visibility("default")]] weir {

// One decision of a controller and its outcome. Plain data. A gain is the ratio of two costs (assessment::cost) less
// one. With a gain of 0.1 a record's time, or its latency, is divided by 1.1. For throughput that is ten percent more
// records a second.
struct decision {
  double time = 0;  // seconds since the run started
  allotment from;   // the allotment before; without components for the initial decision
  allotment to;     // the one that was decided
  std::string why;                      // a sentence with numbers
  double predicted_gain = 0;            // by the model, over the cost of `from`; 0 for the initial decision
  std::optional<double> realised_gain;  // the same as measured, on the same inputs; none until verified
  bool reverted = false;                // a later decision returned to `from`: this one gave too little
};

// The cores that components owned or shared from the first decision until `end` seconds, on average over the time. NaN
// without decisions. REQUIRES: the decisions are in the order of their times.
double mean_cores(const std::vector<decision>& decisions, double end);

}  // namespace weir
