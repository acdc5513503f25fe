#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "model/mixture/mixture.hpp"

namespace weir {

// Guesses which of `modes` modes each row belongs to, as a start for EM. It is k-means++ (Arthur & Vassilvitskii, SODA
// 2007): centres are drawn far from one another, and each row goes to its nearest centre.
//
// Rows are compared by `residual`, which one law leaves of the time in units of its noise, and by features. Each
// feature is used with probability `features`. If all starts used all features, they would find the same modes: those
// of the features that vary most, whether or not these affect the time.
//
// A generator in the same state gives the same result. REQUIRES: 1 <= modes <= 255; as many residuals as rows.
std::vector<std::uint8_t> start_labels(const mixture_data& data, const std::vector<float>& residual, int modes,
                                       double features, std::mt19937_64& random);

// Uniform in [0, 1). Own code, since the standard's distributions differ between libraries.
inline double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

}  // namespace weir
