#pragma once

#include "components/jpeg/jpeg_plane.hpp"
#include "components/jpeg/rgb_image.hpp"

namespace components {

struct colour_planes {
  sample_plane y, cb, cr;
};

// Converts each pixel to luminance and two colour differences (ITU-T T.871, section 7), rounded to the nearest integer.
// Y = 0.299 R + 0.587 G + 0.114 B, Cb = 128 + (B - Y) / 1.772 and Cr = 128 + (R - Y) / 1.402, with the unrounded Y. The
// arithmetic is exact, in integers. Halves of a difference, which pure colours have, are rounded down, as in libjpeg:
// 255.5 must not become 256. If 0.5 becomes 0, the decoder's clamping restores the pure colour. Runs on the calling
// thread and may be called from many threads at the same time.
//
// Cost: O(pixels). Throws std::invalid_argument if a side is not 1 to 65535 or there are not three samples per pixel.
colour_planes planes_of(const rgb_image& image);

}  // namespace components
