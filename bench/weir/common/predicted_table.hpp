#pragma once

#include <string>
#include <utility>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/options/options.hpp>

namespace weir::program {

// A model's prediction for one x on one number of cores, in seconds. NaN if it cannot say.
struct table_row {
  double x = 0;
  int cores = 1;
  double seconds = 0, sd = 0;
  double p99 = 0;             // that 99 of 100 observations stay below
  double low = 0, high = 0;   // the interval that contains nine observations in ten
  double speedup = 1;         // relative to one core, at the same x
  bool extrapolates = false;  // x or cores lies outside the observed range
};

// The interval that is expected to contain nine observations in ten; seconds.
std::pair<double, double> ninety_percent_within(double seconds, double sd);

// One saved model asked about every x on every number of cores. Plain data.
struct predicted_component {
  std::string run{};  // the file of a folder; empty: a file was given
  std::string name, estimator;
  int degree = 0;
  std::string machine;  // where it learnt; empty: not known
  description learnt;
  std::vector<table_row> table;  // by x, then cores, both in the order asked
  std::vector<table_row> best;   // for each x the row with the least seconds, then the fewest cores. Its cores are 0 if
                                 // the model cannot say, or only assumes the gain of further cores (alpha_known is
                                 // false)
};

// Throws std::invalid_argument, as estimator_of does, if the saved model is invalid.
predicted_component predict_table(const std::string& name, const saved_model& saved, const std::vector<double>& xs,
                                  const std::vector<int>& cores);

}  // namespace weir::program
