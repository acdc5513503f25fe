#pragma once

#include "components/jpeg/rgb_image.hpp"

namespace components {

// Blurs a picture by the binomial filter of 2 radius + 1 taps in each direction, which is near to a Gaussian of
// standard deviation sqrt(radius / 2). Beyond an edge the picture is as on the edge. Radius 0 gives the picture itself.
//
// It runs on the caller's task arena, in ranges of rows. All arithmetic is in integers, rounded after each direction,
// so the result is the same on any number of cores and any machine.
//
// Cost: O(pixels radius). Throws std::invalid_argument if the radius is not 0 to 12, or the number of samples does not
// fit the size. Beyond 12 the sums would need more than 32 bits.
rgb_image blurred(const rgb_image& image, int radius);

}  // namespace components
