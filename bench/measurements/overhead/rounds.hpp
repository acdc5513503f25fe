#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/measurements/overhead/row.hpp"
#include "bench/support/bootstrap.hpp"

namespace weir::overhead {

struct wish {
  int repeats = 7;           // rounds of every configuration
  int pairs = 20;            // rounds of weir and its best rival where has_pairs()
  std::int64_t records = 0;  // a run; 0: as many as take the row's time
};

// Whether weir and its best rival run in further rounds, to know their ratio well.
bool has_pairs(const std::string& group);

// weir's rate over that of the fastest rival that keeps as many cores busy, taken within each round.
struct contest {
  std::string rival;
  command::median_interval ratio;
  int pairs = 0;
};

// A row and its runs.
struct measured {
  row what;
  std::int64_t records = 0;                  // a run
  std::vector<std::optional<sample>> runs;   // by round
  double ratio_to_flow_graph = unknown;      // taken within each round
  double efficiency = unknown;               // rate over the loop's of the same round, over the number of cores
  double steady_efficiency = unknown;        // the same of the second half of the records
  std::optional<contest> against;            // weir's rows of `grain`, `matmul` and `monitor`
  double instructions_per_record = unknown;  // counted apart, when asked for

  // Median, least and most of what the runs say; NaN where they do not.
  command::median_interval over(double sample::*of) const;
};

// Runs all rows: the configurations one after the other, and within each all implementers in turn, each round from
// another one on. A run before, which is not counted, warms up and says how many records take the row's time. `begin`
// is called before each run. Throws what a run throws.
std::vector<measured> measure(const std::vector<row>& rows, const wish& w,
                              const std::function<void(const std::string& row)>& begin);

}  // namespace weir::overhead
