#pragma once

#include <cstdint>
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

  // The most likely factors.
  core_factors expected() const { return {octaves_, mean_}; }

  // One of the possible ones. Times on the present cores count as known, since staying tells them. Equal
  // seeds give equal draws, and the same with the opposite sign the opposite deviations.
  core_factors sample(std::uint64_t seed, double sign) const;

 private:
  std::vector<double> octaves_, mean_;
  std::vector<double> root_;  // of the covariance: lower triangle, row by row
};

}  // namespace weir
