#pragma once

#include <cstddef>

#include "model/predictors/joint_index.hpp"

namespace weir {

// One observation, as the fit of an index takes it. Plain data.
struct index_sample {
  predictor_values of{};
  int cores = 1;
  double log_seconds = 0;
};
// Residuals of log times below this show nothing.
inline constexpr double least_residual = 2e-3;
inline constexpr std::size_t most_index_samples = 256;

}  // namespace weir
