#pragma once

#include <algorithm>
#include <cmath>

namespace weir {

// How far observations lie from a model, relative to it. It is made from the sum of squared relative deviations over n
// observations and the number of fitted parameters. Plain data.
//
// A deviation is relative to the larger of time and model, so that it is at most 1 even where the model is 0.
struct scatter {
  // The run-to-run scatter of a warm invocation, assumed before anything was measured. It counts as one observation, so
  // that having as many observations as parameters does not look like certainty.
  static constexpr double prior = 0.1;

  double square = 0;
  double observations = 0;
  double parameters = 0;

  static double deviation(double seconds, double model) {
    const double larger = std::max(seconds, model);
    return larger > 0 ? (seconds - model) / larger : 0;
  }

  // One standard deviation of the observations, without the prior.
  double seen() const { return std::sqrt(square / std::max(observations - parameters, 1.0)); }

  // One standard deviation of a further observation, with the prior.
  double expected() const {
    return std::sqrt((square + prior * prior) / (std::max(observations - parameters, 0.0) + 1));
  }
};

}  // namespace weir
