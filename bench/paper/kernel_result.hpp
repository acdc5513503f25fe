#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/paper/offline.hpp"
#include "bench/paper/over_time.hpp"

namespace weir::paper {

// The names of the estimators that aggregate alpha in different ways.
inline constexpr std::array<const char*, 3> aggregations{"extended-amdahl:mean", "extended-amdahl:clamped-mean",
                                                         "extended-amdahl"};
inline constexpr std::size_t highest = 2;  // index of the paper's choice

// All values of one kernel on one machine that the figures and claims need. Models are fitted to every second pass and
// compared with the other passes.
struct kernel_result {
  std::string kernel;
  std::vector<timed_row> rows;
  double largest_x = 0;
  int most_cores = 1;
  std::vector<timed_row> seen;     // means of the learnt rows
  std::vector<timed_row> checked;  // means of the other rows
  std::array<std::unique_ptr<estimator>, aggregations.size()> models;
  std::unique_ptr<estimator> ours;        // weir, fitted to the same rows
  std::vector<point_alpha> alphas;        // by point
  std::vector<misprediction> errors;      // of the paper's choice
  std::vector<misprediction> our_errors;  // of weir
  foretold stream;                        // over all rows, in their order
};

// REQUIRES: rows not empty.
kernel_result evaluate(const std::string& kernel, const std::vector<timed_row>& rows);

}  // namespace weir::paper
