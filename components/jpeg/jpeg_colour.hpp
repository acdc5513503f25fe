#pragma once

#include "components/jpeg/jpeg_plane.hpp"
#include "components/jpeg/rgb_image.hpp"

namespace components {

struct colour_planes {
  sample_plane y, cb, cr;
};

// Luminance and two differences of colour of each pixel (ITU-T T.871, section 7), rounded to the nearest:
// Y = 0.299 R + 0.587 G + 0.114 B, Cb = 128 + (B - Y) / 1.772 and Cr = 128 + (R - Y) / 1.402, with the Y that is not
// rounded yet. In integers, exactly. Halves of a difference, which pure colours have, are rounded down, as libjpeg
// does: 255.5 must not become 256, and of 0 for 0.5 the decoder's clamping makes the pure colour again. On the calling
// thread; may be called from many at once.
//
// Cost: O(pixels). Throws std::invalid_argument when a side is not 1 to 65535, or there are not three samples a pixel.
colour_planes planes_of(const rgb_image& image);

}  // namespace components
