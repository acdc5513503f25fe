#pragma once

#include <array>
#include <cstdint>

#include "components/jpeg/jpeg_plane.hpp"

namespace components {

// What each coefficient of a block is divided by, row by row: 1 to 255, in 8 bits as baseline files have them.
using quantisation_table = std::array<std::uint8_t, 64>;

// Table K.1 or K.2 of ITU-T T.81, Annex K, as they are; those are what a quality of 50 stands for.
const quantisation_table& annex_k_table(jpeg_tables which);

// A table for a quality from 1, the worst, to 100, where all entries are 1. The rule is that of the Independent JPEG
// Group's libjpeg (jpeg_quality_scaling and jpeg_set_quality, baseline): 5000 / quality percent of each entry below 50,
// 200 - 2 quality percent from there on, rounded and clamped to 1..255. Throws std::invalid_argument for another
// quality.
quantisation_table scaled_table(const quantisation_table& table, std::int64_t quality);

// Each coefficient divided by its entry, rounded to the nearest, halves away from zero (T.81, section A.3.4). On the
// calling thread; may be called from many at once.
//
// Cost: O(blocks). Throws std::invalid_argument when a side is not 1 to 65535, when the number of blocks does not fit
// it, and when an entry of the table is 0. REQUIRES: coefficients as forward_dct gives them.
quantised_plane quantised(const coefficient_plane& plane, const quantisation_table& table);

}  // namespace components
