#pragma once

#include "components/jpeg/jpeg_plane.hpp"

namespace components {

// The forward DCT of each block of 8x8 samples, less 128 each (ITU-T T.81, sections A.3.1 and A.3.3). Where the last
// blocks reach beyond the picture, its last column and row go on there. Coefficients are within -1024..1024. On the
// calling thread; may be called from many at once.
//
// Eight sums of eight products a row, then a column, in double: 1,024 multiplications a block, in one order, without
// fused multiply-add and with constants that are written down, so that the bits are the same everywhere.
//
// Cost: O(blocks). Throws std::invalid_argument when a side is not 1 to 65535, or there is not one sample a pixel.
coefficient_plane forward_dct(const sample_plane& plane);

}  // namespace components
