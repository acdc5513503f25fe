#pragma once

#include <memory>
#include <string>
#include <vector>

#include <weir/model/estimator.hpp>
#include "bench/weir/common/fit_data.hpp"

namespace weir::paper {

using program::timed_row;

// The evaluation of section 3 of Verstraaten & Scholz, which uses all measurements together. Pure numbers; any thread
// may call.

// For each row, how often its (x, cores) occurred before: 0 in the first pass over the points, then 1, ..
std::vector<int> passes_of(const std::vector<timed_row>& rows);

// The rows of every second pass, starting with the first, are learnt; the others are to be predicted.
struct halves {
  std::vector<timed_row> learnt, held_out;
};
halves split(const std::vector<timed_row>& rows);

// The mean time of each (x, cores), by cores, then x.
std::vector<timed_row> means(const std::vector<timed_row>& rows);

// The named estimator, of degree 3, fitted to the rows. Throws std::invalid_argument as make_estimator does.
std::unique_ptr<estimator> fitted(const std::string& name, const std::vector<timed_row>& rows);

// alpha = p/(p-1) (1 - Tp/Tseq(x)) of each point on more than one core, not clamped, with the model's Tseq. Points with
// Tseq(x) = 0, where the polynomial was clamped at 0, are left out.
struct point_alpha {
  double x = 0;
  int cores = 1;
  double alpha = 0;
};
std::vector<point_alpha> alphas(const estimator& model, const std::vector<timed_row>& points);

// Median |T^ - T| over the rows of each (x, cores), in seconds and in percent of the measured T.
struct misprediction {
  double x = 0;
  int cores = 1;
  double percent = 0;
  double seconds = 0;
};
std::vector<misprediction> mispredictions(const estimator& model, const std::vector<timed_row>& rows);

}  // namespace weir::paper
