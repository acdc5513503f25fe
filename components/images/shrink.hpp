#pragma once

#include "components/jpeg/rgb_image.hpp"

namespace components {

// A smaller copy: each pixel is the mean of a square of factor x factor pixels, rounded to the nearest integer. Squares
// that reach beyond the picture are cut at its edge, so a side becomes side / factor, rounded up. Runs on the calling
// thread and may be called from many threads at the same time.
//
// Cost: O(pixels). Throws std::invalid_argument if the factor is not 1 to 1024 or the number of samples does not fit.
rgb_image shrunk(const rgb_image& image, int factor);

}  // namespace components
