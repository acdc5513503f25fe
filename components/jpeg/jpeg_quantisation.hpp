#pragma once

#include <array>
#include <cstdint>

#include "components/jpeg/jpeg_plane.hpp"

namespace components {

// The divisor of each coefficient of a block, row by row: 1 to 255, in 8 bits as in baseline files.
using quantisation_table = std::array<std::uint8_t, 64>;

// Table K.1 or K.2 of ITU-T T.81, Annex K, unchanged; a quality of 50 means these.
const quantisation_table& annex_k_table(jpeg_tables which);

// A table for a quality from 1, the worst, to 100, where all entries are 1. The rule is that of the Independent JPEG
// Group's libjpeg (jpeg_quality_scaling and jpeg_set_quality, baseline). Below 50 each entry is scaled to 5000 /
// quality percent, from 50 on to 200 - 2 quality percent; it is then rounded and clamped to 1..255. Throws
// std::invalid_argument for a quality outside 1..100.
quantisation_table scaled_table(const quantisation_table& table, std::int64_t quality);

// Divides each coefficient by its entry and rounds to the nearest integer, halves away from zero (T.81, section A.3.4).
// Runs on the calling thread and may be called from many threads at the same time.
//
// Cost: O(blocks). Throws std::invalid_argument if a side is not 1 to 65535, if the number of blocks does not fit it,
// or if an entry of the table is 0. REQUIRES: coefficients as forward_dct gives them.
quantised_plane quantised(const coefficient_plane& plane, const quantisation_table& table);

}  // namespace components
