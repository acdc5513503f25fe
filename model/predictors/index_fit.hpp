#pragma once

#include <span>

#include <weir/model/predictor_form.hpp>
#include "model/predictors/index_sample.hpp"

namespace weir {

// Fits an index by regression of the logarithms of times: on the logarithms of numbers, on levels of kinds, and on
// cores. For cores it has a broken line, which stands for any law of p. Late samples count less (Huber). Weak priors
// keep few samples from an extreme answer: powers of 0.5 +- 0.7, cores that nearly divide the time.
//
// Each predictor has one of four parts: none, log v, log v and its square, or a level for each value. A part changes as
// long as that lowers the Bayesian information criterion by a margin; a candidate has a larger margin, since one of
// many may help by chance. A named predictor begins with a part. Levels need few values, and each some samples. Numbers
// must not be negative. A candidate has no part if it counts: its values go with the order of the samples.
//
// Where two numbers count, or one and levels, a sum of powers and pairwise products with non-negative coefficients
// is fitted as well. The better one of both is taken. Throws std::bad_alloc. Samples are in the order of observation.
// REQUIRES: 0 < samples <= most_index_samples, forms <= most_predictors.
joint_index fit_index(std::span<const index_sample> samples, std::span<const predictor_form> forms);

// The variance of log times, at equal cores, that the index leaves: to compare two on the same samples.
double left_by(const joint_index& index, std::span<const index_sample> samples);

}  // namespace weir
