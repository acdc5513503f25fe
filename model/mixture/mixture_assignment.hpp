#pragma once

#include <cstdint>
#include <vector>

#include "model/mixture/mixture.hpp"

namespace weir {

// For each row, the mode that a fitted mixture assigns it to. Plain data; vectors are by row.
struct mixture_assignment {
  std::vector<std::uint8_t> mode;  // the most probable
  std::vector<float> density;      // log density of features and time in that mode, its weight left out
  std::vector<float> residual;     // time minus that mode's law, in units of its noise
};

// REQUIRES: a model fitted to data of the same columns, of at most 255 modes.
mixture_assignment assign(const mixture_data& data, const mixture_model& model);

}  // namespace weir
