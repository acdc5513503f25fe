#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/support/bootstrap.hpp"
#include "bench/weir/compare/compare_run.hpp"

namespace weir::command {

// One policy over all rounds. Times in seconds.
struct compared_row {
  std::string name;
  std::string text;                            // what was run: of several fixed divisions the one with the best median
  std::size_t candidates = 1;                  // the number of divisions that it is the best of
  double throughput = 0, least = 0, most = 0;  // median, minimum and maximum over the rounds, records a second

  // The throughput relative to another policy's in the same round; with an objective of latency, the other's mean
  // latency relative to its own; for the fewest cores, the other's cores relative to its own, where each counts as
  // p99 over the demanded one if that is longer. The median of the rounds and its bootstrap interval.
  median_interval to_baseline;
  std::vector<double> ratios;                    // to the baseline, of each round
  std::optional<median_interval> to_best_fixed;  // if best-fixed is among the policies

  double latency_mean = 0, latency_p50 = 0, latency_p99 = 0;  // over the records of all rounds
  std::optional<double> moves;                                // the mean of the rounds; none without weir
  double cores_used = 0;                                      // the mean of the rounds; NaN without weir
  double error_median = 0, error_p95 = 0;                     // foresight_errors of all rounds; NaN without
  std::uint64_t checked = 0, wrong = 0;
};

// One row for each of plan.rows, in that order. REQUIRES: all rounds of all of them were run.
std::vector<compared_row> compared_rows(const compare_plan& plan, const std::vector<compared_run>& runs);

// The outcome in words: a line for each policy that adapts or is not the baseline (common/policy_outcome.hpp).
std::string outcome_of(const compare_plan& plan, const std::vector<compared_row>& rows,
                       const std::vector<compared_run>& runs);

// The runs that a row shows, by round.
std::vector<const compared_run*> runs_of(const compared_row& row, const std::vector<compared_run>& runs);

}  // namespace weir::command
