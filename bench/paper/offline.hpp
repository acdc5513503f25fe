#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/weir/common/fit_data.hpp"
#include "model/estimator.hpp"

namespace weir::paper {

using command::timed_row;

// What section 3 of Verstraaten & Scholz does with all measurements at once. Pure numbers; any thread may call.

// How often each row's (x, cores) came before it: 0 in the first pass over the points, then 1, ..
std::vector<int> passes_of(const std::vector<timed_row>& rows);

// The rows of every second pass, the first included, to learn from; and the others, to be predicted.
struct halves {
  std::vector<timed_row> learnt, held_out;
};
halves split(const std::vector<timed_row>& rows);

// The mean time of each (x, cores), by cores, then x.
std::vector<timed_row> means(const std::vector<timed_row>& rows);

// The estimator of that name, degree 3, fitted to the rows. Throws std::invalid_argument as make_estimator does.
std::unique_ptr<estimator> fitted(const std::string& name, const std::vector<timed_row>& rows);

// alpha = p/(p-1) (1 - Tp/Tseq(x)) of each point on more than one core, not clamped, Tseq as the model has it.
// None of points where that is 0, as a polynomial clamped to be no less makes it.
struct point_alpha {
  double x = 0;
  int cores = 1;
  double alpha = 0;
};
std::vector<point_alpha> alphas(const estimator& model, const std::vector<timed_row>& points);

// |T^ - T| of each (x, cores) over the rows that have it, in seconds and in percent of the measured T: medians.
struct misprediction {
  double x = 0;
  int cores = 1;
  double percent = 0;
  double seconds = 0;
};
std::vector<misprediction> mispredictions(const estimator& model, const std::vector<timed_row>& rows);

}  // namespace weir::paper
