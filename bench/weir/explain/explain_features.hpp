#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/weir/explain/explain_overlap.hpp"
#include "bench/weir/explain/observed_run.hpp"
#include "model/mixture/mixture.hpp"
#include "scheduler/machine/topology.hpp"

namespace weir::command {

// What an invocation can be told by. In the order in which they make sense to a person: of features that go along with
// each other the first is named first.
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

// A feature of a component's invocations: a column of the mixture, and what people call it.
struct feature {
  feature_kind kind{};
  std::string name{};                        // "overlap with `decode` on the same L3"
  std::string one_more{};                    // "each overlapping `decode` on the same L3"; "" where it has levels
  std::vector<std::string> together_with{};  // names of those that go along with it, and say nothing beside it

  bool is_discrete = false;
  std::size_t column = 0;  // of the mixture's continuous or discrete ones
  int law_column = -1;     // its first one in laws; -1: none

  // Continuous: of the logarithm where that was taken, standardised to mean 0 and deviation 1.
  bool is_log = false;
  double mean = 0, deviation = 1;
  bool is_switch = false;  // at its least value in more than half of the rows
  double typical_step =
      2;  // standardised: of a switch from its least value to the mean of the others, else 2 deviations

  std::vector<std::string> level_names{};  // discrete: the first is what the others are compared with

  double value(double standardised) const;  // in the feature's own unit
};

// The features of a component's invocations that vary, those that go along with each other (correlated beyond 0.95, or
// one to one) joined, and the time beside them.
struct component_features {
  std::vector<invocation> rows;
  std::vector<feature> all;  // in the order of feature_kind
  mixture_data data;
  bool log_time = true;
  double time_deviation = 0;  // of the time or its logarithm: the unit of the data's. 0: all times are the same
  std::size_t overlaps_left_out = 0;
};

// `log_time`: times, x and cores by their logarithms, so that laws are products of powers.
//
// An overlap is a feature only where the time goes with it whichever way it is counted. What runs beside an invocation
// on average over its time depends on how long it takes: of two components that begin together, whoever takes longer
// has less of the other beside it, whatever that does to it. So what the other features leave of the time has to
// correlate, beyond a tenth and four standard errors, with what is left of the other when the invocation has just
// begun, too, and with the same sign. Of those that do, the eight of the strongest correlation are taken.
component_features features_of(const observed_run& run, std::uint32_t component, const topology& cores,
                               const overlap_sweep& sweep, bool log_time);

}  // namespace weir::command
