#pragma once

#include "components/jpeg/jpeg_plane.hpp"

namespace components {

// The forward DCT of each block of 8x8 samples, less 128 each (ITU-T T.81, sections A.3.1 and A.3.3). Blocks that reach
// beyond the picture repeat its last column and row there. Coefficients are within -1024..1024. Runs on the calling
// thread and may be called from many threads at the same time.
//
// It computes eight sums of eight products per row, then per column, in double: 1,024 multiplications per block. Their
// order is fixed, there is no fused multiply-add, and the constants are written out, so the bits are the same
// everywhere.
//
// Cost: O(blocks). Throws std::invalid_argument if a side is not 1 to 65535 or there is not one sample per pixel.
coefficient_plane forward_dct(const sample_plane& plane);

}  // namespace components
