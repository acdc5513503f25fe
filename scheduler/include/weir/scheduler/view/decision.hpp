#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/objective.hpp>

namespace [[gnu::visibility("default")]] weir {

// One decision of a controller and its outcome. Plain data. A gain is the ratio of two costs (assessment::cost) less
// one. With a gain of 0.1 a record's time, or its latency, is divided by 1.1. For throughput that is ten percent more
// records a second. predicted_words() and realised_words() say it by the objective.
struct decision {
  double time = 0;                         // seconds since the run started
  allotment from;                          // the allotment before; without components for the initial decision
  allotment to;                            // the one that was decided
  std::string why;                         // a sentence with numbers
  double predicted_gain = 0;               // by the model, over the cost of `from`; 0 for the initial decision
  std::optional<double> realised_gain;     // the same as measured, on the same inputs; none until verified
  bool reverted = false;                   // a later decision returned to `from`: this one gave too little
  objective goal = objective::throughput;  // of the rule that decided it, which its gains are about
  // Seconds that 99 of 100 records pass in on `to`: by the model, and by the times measured since. NaN: not asked for.
  double predicted_p99 = std::numeric_limits<double>::quiet_NaN();
  double realised_p99 = std::numeric_limits<double>::quiet_NaN();
};

// The gains of a decision in the words of its objective: "1.30 times the records a second", or "2 cores fewer, p99
// within 400 ms". The former is empty if nothing was predicted, as for the initial decision; the latter is empty until
// the gain was measured.
std::string predicted_words(const decision& d);
std::string realised_words(const decision& d);

// The cores that components owned or shared from the first decision until `end` seconds, on average over the time. NaN
// without decisions. REQUIRES: the decisions are in the order of their times.
double mean_cores(const std::vector<decision>& decisions, double end);

}  // namespace weir
