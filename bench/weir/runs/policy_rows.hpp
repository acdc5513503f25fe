#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/support/bootstrap.hpp"
#include "bench/weir/common/learnt_json.hpp"
#include "bench/weir/runs/runs_plan.hpp"

namespace weir::program {

// One policy over all rounds. Times in seconds.
struct policy_row {
  std::string name;
  std::string text;                            // of several fixed divisions the one with the best median
  std::size_t candidates = 1;                  // the number of divisions that it is the best of
  double throughput = 0, least = 0, most = 0;  // median, minimum and maximum over the rounds, records a second

  // The throughput relative to the baseline's in the same round. With an objective of latency, the baseline's mean
  // latency relative to its own. For the fewest cores, the baseline's cores relative to its own, where each counts as
  // p99 over the demanded one if that is longer. By round, their median and its bootstrap interval.
  std::vector<double> ratios;
  median_interval to_baseline;

  double latency_mean = 0, latency_p50 = 0, latency_p99 = 0;  // over the records of all rounds
  std::optional<double> moves;                                // the mean of the rounds; none without weir
  double cores_used = 0;                                      // the mean of the rounds; NaN without weir
  std::uint64_t checked = 0, wrong = 0;

  // In comparisons (compared_rows).
  std::optional<median_interval> to_best_fixed;  // if best-fixed is among the policies
  double error_median = 0, error_p95 = 0;        // of predictions, in percent, in all rounds; NaN without
};

// One row for each of plan.rows, in that order. REQUIRES: all rounds of all of them were run.
std::vector<policy_row> policy_rows(const runs_plan& plan, const std::vector<timed_run>& runs);

// The runs that a row shows, by round.
std::vector<const timed_run*> runs_of(const policy_row& row, const std::vector<timed_run>& runs);

// Those of a row relative to another's in the same round.
std::vector<double> paired(const runs_plan& plan, const policy_row& row, const policy_row& other,
                           const std::vector<timed_run>& runs);

// The outcome in words: a line for each policy that adapts or is not the baseline (common/policy_outcome.hpp).
std::string outcome_of(const runs_plan& plan, const std::vector<policy_row>& rows, const std::vector<timed_run>& runs);

// Writes the page, if there is to be one: the first run of each policy under weir. Unless `of_table` is empty, it is
// the title of a comparison of all rounds.
void write_page(const runs_plan& plan, const std::string& title, const std::string& of_table,
                const std::vector<policy_row>& rows, const std::vector<timed_run>& runs);

// The parts of the JSON that every command's rows and runs have.
json throughput_json(const policy_row& row);  // median, min, max
json run_json(const timed_run& run);  // round, records, seconds, throughput_per_second, latency_seconds, foreign_load

}  // namespace weir::program
