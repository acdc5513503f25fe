#include "components/jpeg/rgb_image.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>

namespace components {
namespace {

using colour = std::array<int, 3>;

struct disc {
  std::int64_t x, y, radius;
  colour fill;

  bool covers(int col, int row) const { return (col - x) * (col - x) + (row - y) * (row - y) <= radius * radius; }
};

}  // namespace

rgb_image random_image(int width, int height, std::uint64_t seed) {
  if (width < 0 || height < 0) {
    throw std::invalid_argument("random_image: there is no picture of " + std::to_string(width) + "x" +
                                std::to_string(height));
  }
  std::mt19937_64 generator(seed);
  const auto below = [&](int bound) { return static_cast<int>(generator() % static_cast<std::uint64_t>(bound)); };
  std::array<disc, 6> discs{};
  for (disc& d : discs) {
    d.x = below(width + 1);
    d.y = below(height + 1);
    d.radius = 1 + below(std::max(width, height) / 4 + 1);
    for (int& level : d.fill) level = below(256);
  }

  rgb_image image{width, height, {}};
  image.samples.reserve(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int row = 0; row < height; ++row) {
    for (int col = 0; col < width; ++col) {
      colour at{static_cast<int>(255LL * col / width), static_cast<int>(255LL * row / height), 128};
      for (const disc& d : discs)
        if (d.covers(col, row)) at = d.fill;
      for (const int level : at) {
        image.samples.push_back(static_cast<std::uint8_t>(std::clamp(level + below(9) - 4, 0, 255)));
      }
    }
  }
  return image;
}

}  // namespace components
