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
  std::int64_t records = 0;  // per run; 0: as many as take the row's time
};

// Whether weir and its best rival run in further rounds, for a more exact ratio.
bool has_pairs(const std::string& group);

// weir's rate relative to the fastest rival that keeps as many cores busy, taken within each round.
struct contest {
  std::string rival;
  program::median_interval ratio;
  int pairs = 0;
};

// A row and its runs.
struct measured {
  row what;
  std::int64_t records = 0;                  // per run
  std::vector<std::optional<sample>> runs;   // by round
  double ratio_to_flow_graph = unknown;      // taken within each round
  double efficiency = unknown;               // rate over the loop's of the same round, divided by the number of cores
  double steady_efficiency = unknown;        // the same for the second half of the records
  std::optional<contest> against;            // weir's rows of the groups that compare it
  double instructions_per_record = unknown;  // counted separately, if asked for

  // Median, least and most of a value over the runs; NaN if the runs do not have it.
  program::median_interval over(double sample::*of) const;
};

// Runs all rows, one configuration after the other. Within one, the implementations alternate, and each round starts
// with another one. An uncounted run before warms up and determines how many records take the row's time. `begin` is
// called before each run. Throws what a run throws.
std::vector<measured> measure(const std::vector<row>& rows, const wish& w,
                              const std::function<void(const std::string& row)>& begin);

}  // namespace weir::overhead
