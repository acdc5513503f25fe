#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <weir/model/estimator.hpp>
#include "bench/support/quantile.hpp"
#include "bench/weir/matmul/matmul_options.hpp"
#include "bench/weir/runs/timed_run.hpp"

namespace weir::program {

// Numbers about runs, without presentation.

// The cost of one component on one number of cores at one predictor value: a row of the table.
struct cost_row {
  std::string component;
  double x = 0;
  int cores = 0;
  std::uint64_t observations = 0;  // without those right after a move, which measure the move
  // Seconds, by the clock that models learn: the mean, and the median. NaN without observations.
  double observed = 0, median = 0;
  double predicted = 0;  // seconds, by the final model
};

struct component_summary {
  std::string name;
  description model;
  std::vector<double> errors;  // |predicted - observed| / observed of each usable observation, in percent
};

// The models of some runs, in their final state of the last run.
struct learnt_summary {
  std::vector<cost_row> rows;  // by component in order of the stream, then x, then cores
  std::vector<component_summary> components;
};

// By the clock that models learnt. REQUIRES: runs not empty, all of the same network.
learnt_summary learnt_from(const std::vector<const timed_run*>& runs, measured_time time);

// About how many seconds all runs take: with every product on all cores, and on one.
struct expected_seconds {
  double least = 0, most = 0;
};
expected_seconds expected_of(const matmul_plan& plan);

// The run to show in detail: the last adaptive one, else the last.
const timed_run& shown_run(const std::vector<timed_run>& runs);

// How close a run of the emulated network came to the best allotment, by the truth; seconds per record at the mean x.
struct emulated_summary {
  static constexpr std::uint64_t records = 30;  // observations of each component after which `reached` is taken
  double best = 0, equal = 0, reached = 0;
  std::string allotment;  // in force after `records` observations of each component, or at the end
  double ratio() const { return reached / best; }
};

emulated_summary emulated_summary_of(const matmul_plan& plan, const timed_run& run);

}  // namespace weir::program
