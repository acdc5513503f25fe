#pragma once

#include <cstdint>
#include <vector>

#include "components/jpeg/rgb_image.hpp"

namespace components {

// The picture in a JPEG file, decoded by libjpeg with its exact integer DCT. Grey becomes three equal colours. Runs on
// the calling thread and may be called from many threads at the same time.
//
// Cost: O(pixels). Throws std::runtime_error that names the fault: bytes that are no JPEG file, a file that ends early
// or is damaged, or more than largest_picture pixels. Colour spaces are grey, YCbCr and RGB; others throw too. For a
// damaged file libjpeg alone would only warn and fill in grey.
rgb_image decoded_jpeg(const std::vector<std::uint8_t>& file);

// A picture of 300 MB. A file of some hundred bytes can claim 65535 x 65535 pixels, which are 13 GB.
inline constexpr std::int64_t largest_picture = 100'000'000;

// A JPEG file of this picture with libjpeg's default settings: baseline, colours at half the resolution. Runs on the
// calling thread and may be called from many threads at the same time.
//
// Cost: O(pixels). Throws std::invalid_argument if the quality is not 1 to 100, a side not 1 to 65500, which is
// libjpeg's limit, or the number of samples does not fit.
std::vector<std::uint8_t> encoded_jpeg(const rgb_image& image, int quality);

}  // namespace components
