#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace weir::flow_accuracy {

// A predicted value and the observed one. Plain data.
struct comparison {
  enum class what {
    flow,      // records per second
    occupancy  // records in a queue, including the one in work; predicted: the bound
  };

  std::string network;  // "jpeg", "drawn 3"
  std::string ground;   // where it ran: "cores", "emulated" or "simulated"
  std::string mapping;  // as weir::to_string(allotment)
  what kind = what::flow;
  std::string stream;  // "a -> b", "-> b": all of b's streams together, or "throughput"
  double load = 0;     // offered part of the predicted throughput; 0: as much as could enter
  double predicted = 0;
  double seen = 0;
  std::uint64_t records = 0;  // the number of records behind `seen`
  double error_percent() const { return (predicted - seen) / seen * 100; }
};

// Duration and random numbers.
struct trial_options {
  double seconds = 1;  // of a run, after a warm-up of a quarter of that
  std::uint64_t seed = 1;
};

// The results of a trial.
struct trial_result {
  std::vector<comparison> rows;
  std::uint64_t inlined = 0;  // streams without a queue, since their reader runs inline in the writer
};

// Occupancies are compared at these parts of the predicted throughput, in turn.
inline constexpr double loads[] = {0.5, 0.65, 0.8, 0.9, 0.95};

// The probability that a queue is too short for one record. It is so small that at most one run in a hundred meets
// that.
inline double blocking_for(double records) { return std::clamp(0.01 / std::max(records, 1.0), 1e-9, 0.05); }

}  // namespace weir::flow_accuracy
