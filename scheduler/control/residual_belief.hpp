#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "scheduler/control/core_factors.hpp"

namespace weir {

// Measured over expected seconds of some invocations on equal cores. Plain data.
struct residual {
  int cores = 1;
  double log_ratio = 0;  // the logarithm of the ratio of sums
  double variance = 0;   // of that
};

// The belief about a component's true over expected times on any number of cores.
//
// The logarithm of the ratio is a Gaussian process over log2(cores), given some residuals (Rasmussen and Williams,
// Gaussian Processes for Machine Learning, 2006, section 2.2). Its covariance has three parts. All
// numbers of cores share a level. A slope says how far the share of parallel work may be misjudged. Roughness is
// forgotten within an octave: steps and contention that no law has.
class residual_belief {
 public:
  // `now`: the cores of an invocation at present. `most`: the most that are asked about. `is_shape_known`: the model
  // has seen how times change with cores.
  residual_belief(std::span<const residual> seen, int now, int most, bool is_shape_known);

  // One standard deviation of the difference between two residuals of one component.
  static double deviation(const residual& a, const residual& b);

  // Lets half of the draws have the least time between two numbers of cores: the best one seen, and the next larger one
  // where times are a quarter longer. If none between them was seen, times may go on falling there, half as steeply as
  // before the best one. `log_model`: the logarithm of the model's time.
  void expect_minimum(std::span<const residual> seen, const std::function<double(int)>& log_model);

  // The most likely factors.
  core_factors expected() const { return {octaves_, mean_}; }

  // One of the possible ones. Times on the present cores count as known, since staying tells them. Equal
  // seeds give equal draws, and the same with the opposite sign the opposite deviations.
  core_factors sample(std::uint64_t seed, double sign) const;

 private:
  std::vector<double> octaves_, mean_;
  std::vector<double> root_;   // of the covariance: lower triangle, row by row
  std::vector<double> hoped_;  // further log factors of half of the draws; empty: none
};

}  // namespace weir
