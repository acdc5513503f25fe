#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <weir/scheduler/machine/topology.hpp>
#include "bench/weir/explain/explain_overlap.hpp"
#include "bench/weir/explain/observed_run.hpp"
#include "model/mixture/mixture.hpp"

namespace weir::program {

// The kinds of features of an invocation, in the order in which they make sense to a person. Among features that say
// the same, the first in this order is named first.
enum class feature_kind {
  x,
  cores,
  after_move,
  odd_x,
  overlap_on_core,
  overlap_on_cache,
  overlap_on_node,
  width,
  queue,
  core_set,
  node
};

// A feature of a component's invocations: a column of the mixture, and its name for people.
struct feature {
  feature_kind kind{};
  std::string name{};                        // "overlap with `decode` on the same L3"
  std::string one_more{};                    // "each overlapping `decode` on the same L3"; "" if it has levels
  std::vector<std::string> together_with{};  // names of the features that say the same

  bool is_discrete = false;
  std::size_t column = 0;  // index among the mixture's continuous or discrete columns
  int law_column = -1;     // its first column in laws; -1: none

  // Continuous: the values, or their logarithms if is_log, standardised to mean 0 and deviation 1.
  bool is_log = false;
  double mean = 0, deviation = 1;
  bool is_switch = false;  // it has its least value in more than half of the rows
  double typical_step =
      2;  // standardised: of a switch from its least value to the mean of the others, else 2 deviations

  std::vector<std::string> level_names{};  // discrete: the others are compared with the first

  double value(double standardised) const;  // in the feature's own unit
};

// The features of a component's invocations that vary, and the time. Features that say the same (correlated beyond
// 0.95, or one to one) are joined.
struct component_features {
  std::vector<invocation> rows;
  std::vector<feature> all;  // in the order of feature_kind
  mixture_data data;
  bool log_time = true;
  double time_deviation = 0;  // of the time or its logarithm, the unit of `data`; 0: all times are equal
  std::size_t overlaps_left_out = 0;
};

// `log_time`: use the logarithms of times, x and cores, so that laws are products of powers.
//
// An overlap is a feature only if the time depends on it by two counts. The average overlap over an invocation depends
// on its own duration. If two components begin together, the longer one has less of the other next to it, whatever its
// effect. So the residual time after the other features must also correlate with the remaining work of the other when
// the invocation has just begun. That correlation must exceed a tenth and four standard errors and have the same sign
// as with the average. The eight overlaps with the strongest correlation are taken.
component_features features_of(const observed_run& run, std::uint32_t component, const topology& cores,
                               const overlap_sweep& sweep, bool log_time);

}  // namespace weir::program
