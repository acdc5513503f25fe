#pragma once

#include <cstdint>
#include <vector>

namespace components {

// A picture with 8 bits each of red, green and blue. A value.
struct rgb_image {
  int width = 0;  // in pixels
  int height = 0;
  std::vector<std::uint8_t> samples;  // red, green and blue of a pixel, pixel by pixel, row by row from the top
};

// A picture with every kind of content that an encoder meets: a slow gradient, discs with sharp edges, and noise of a
// few levels. It is drawn in integers alone, from std::mt19937_64 seeded with `seed`, so it is the same with every
// compiler and library. Runs on the calling thread. Throws std::invalid_argument if a side is negative.
rgb_image random_image(int width, int height, std::uint64_t seed);

}  // namespace components
