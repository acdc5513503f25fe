#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/estimator.hpp"
#include "runtime/options/options.hpp"

namespace weir::command {

// What a model expects of one x on one number of cores; seconds. NaN where it cannot say.
struct table_row {
  double x = 0;
  int cores = 1;
  double seconds = 0, sd = 0;
  double low = 0, high = 0;   // nine observations in ten are expected in between
  double speedup = 1;         // over one core, at the same x
  bool extrapolates = false;  // x or cores lies outside what was observed
};

// Where nine observations in ten are expected to lie; seconds.
std::pair<double, double> ninety_percent_within(double seconds, double sd);

// One saved model asked about every x on every number of cores. Plain data.
struct predicted_component {
  std::string name, estimator;
  int degree = 0;
  description learnt;
  std::vector<table_row> table;  // by x, then cores, both in the order asked
  std::vector<table_row> best;   // of each x the row with the least seconds, of equal ones that with the fewest cores;
                                 // cores 0 when the model cannot say, or
                                 // only assumes what further cores bring: alpha_known is false
};

// Throws std::invalid_argument, as estimator_of does, when what was saved is no model.
predicted_component predict_table(const std::string& name, const saved_model& saved, const std::vector<double>& xs,
                                  const std::vector<int>& cores);

}  // namespace weir::command
