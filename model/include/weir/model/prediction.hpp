#pragma once

#include <limits>

namespace [[gnu::visibility("default")]] weir {

// The cost of one invocation that a model expects: T(x, p). Plain data. Times are in seconds.
struct prediction {
  double mean = 0;            // expected seconds; NaN when nothing was observed yet
  double spread = 0;          // one standard deviation of a single future observation, seconds
  double alpha = 0;           // parallel share in [0, 1]
  double sequential = 0;      // Tseq(x): expected seconds on one core
  double confidence = 0;      // in [0, 1]: 0 is a guess from the prior; towards 1 inside what was observed
  bool extrapolates = false;  // x or p lies outside what was observed (also true when nothing was)
  // One standard deviation of the mean itself, seconds; NaN: the estimator does not say.
  double uncertainty = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace weir
