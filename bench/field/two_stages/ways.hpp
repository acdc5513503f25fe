#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>

namespace weir::field_bench::two_stages {

// Two emulated stages, each of one core: an invocation sleeps for its time. Plain data.
struct setting {
  int cores = 128;
  double first = 0.17, second = 0.21;  // seconds
  double slow_start = 0;               // seconds that a thread needs before its first record in the second stage
  std::int64_t records = 8000;

  // Records a second with the best numbers of cores for the two, without filling and emptying.
  double best_rate() const;
  std::vector<int> best_division() const;  // cores of each
};

// One run. Plain data.
struct outcome {
  std::vector<double> ends;   // seconds since the start at which records left, ascending
  std::vector<int> division;  // cores of each at the end; empty: shared, or no weir
  int moves = 0;
  double waiting_peak = 0, waiting_mean = 0;  // records between the two stages; NaN: unknown
  std::string report;                         // of weir, as JSON

  double per_second() const;
  // Seconds until from then on every window of two seconds has at least 0.95 of this rate, but for the last one. NaN:
  // never.
  double until_balanced(double rate) const;
};

// With `in_lanes` a thread starts in each_lane() of the second box, else in its first invocation there.
outcome by_weir(const setting& what, const policy& rule, bool in_lanes = false);

// oneTBB's pipeline in an arena of all cores, with two tokens a core.
outcome by_pipeline(const setting& what);

// Threads by hand, as many as cores: each takes a record through both stages.
outcome by_threads(const setting& what);

}  // namespace weir::field_bench::two_stages
