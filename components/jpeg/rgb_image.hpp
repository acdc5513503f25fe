#pragma once

#include <cstdint>
#include <vector>

namespace components {

// A picture of 8 bits each of red, green and blue. A value.
struct rgb_image {
  int width = 0;  // in pixels
  int height = 0;
  std::vector<std::uint8_t> samples;  // red, green and blue of a pixel, pixel by pixel, row by row from the top
};

// A picture with something of all that an encoder meets: a slow gradient, discs with sharp edges, and noise of a few
// levels. Drawn from std::mt19937_64 seeded with `seed` in integers alone: the same with every compiler and library. On
// the calling thread. Throws std::invalid_argument when a side is negative.
rgb_image drawn_image(int width, int height, std::uint64_t seed);

}  // namespace components
