#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace weir::flow_accuracy {

// What was expected beside what came. Plain data.
struct comparison {
  enum class what {
    flow,      // records a second
    occupancy  // records in a queue, the one in work included; predicted: the bound
  };

  std::string network;  // "jpeg", "drawn 3"
  std::string ground;   // "cores", "emulated" or "simulated": where it ran
  std::string mapping;  // as weir::to_string(allotment)
  what kind = what::flow;
  std::string stream;  // "a -> b", "-> b": all of b's together, or "throughput"
  double load = 0;     // part of the predicted throughput that was offered; 0: as much as could enter
  double predicted = 0;
  double seen = 0;
  std::uint64_t records = 0;  // from which it was seen
  double error_percent() const { return (predicted - seen) / seen * 100; }
};

// How long and with which random numbers.
struct trial_options {
  double seconds = 1;  // of a run, once it has warmed up for a quarter of that
  std::uint64_t seed = 1;
};

// What was found, and what there is to say of it.
struct trial_result {
  std::vector<comparison> rows;
  std::uint64_t inlined = 0;  // streams that had no queue, since their reader ran in who wrote to it
};

// The parts of the predicted throughput that are offered in turn where occupancies are looked at.
inline constexpr double loads[] = {0.5, 0.65, 0.8, 0.9, 0.95};

// The probability with which a queue may be too short for one record, so that of a hundred runs one meets that at most.
inline double blocking_for(double records) { return std::clamp(0.01 / std::max(records, 1.0), 1e-9, 0.05); }

}  // namespace weir::flow_accuracy
