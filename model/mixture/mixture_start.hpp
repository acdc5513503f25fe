#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "model/mixture/mixture.hpp"

namespace weir {

// A guess at which of `modes` modes each row belongs to, for EM to begin with: k-means++ (Arthur & Vassilvitskii, SODA
// 2007), its centres drawn far from one another, and every row with its nearest. Rows are compared by `residual`, which
// is what one law leaves of the time in units of its noise, and by `features`, a share of all of them, drawn. Starts
// that all look at all features find the same modes: those of whatever features vary most, whether the time cares or
// not.
//
// The same for a generator in the same state. REQUIRES: 1 <= modes <= 255; as many residuals as rows.
std::vector<std::uint8_t> start_labels(const mixture_data& data, const std::vector<float>& residual, int modes,
                                       double features, std::mt19937_64& random);

// Uniform in [0, 1): the standard's distributions differ between libraries.
inline double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

}  // namespace weir
