#include "components/images/shrink.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace components {

rgb_image shrunk(const rgb_image& image, int factor) {
  if (factor < 1 || factor > 1024)
    throw std::invalid_argument("shrunk: factor " + std::to_string(factor) + ": expected 1 to 1024");
  const auto width = static_cast<std::size_t>(image.width), height = static_cast<std::size_t>(image.height);
  if (image.samples.size() != 3 * width * height)
    throw std::invalid_argument("shrunk: " + std::to_string(image.samples.size()) + " samples: expected " +
                                std::to_string(3 * width * height));
  const auto side = static_cast<std::size_t>(factor);
  rgb_image result{static_cast<int>((width + side - 1) / side), static_cast<int>((height + side - 1) / side), {}};
  result.samples.reserve(3 * static_cast<std::size_t>(result.width) * static_cast<std::size_t>(result.height));

  std::vector<std::uint32_t> sums(3 * static_cast<std::size_t>(result.width));  // at most 1024^2 * 255 each
  for (std::size_t top = 0; top < height; top += side) {
    const std::size_t bottom = std::min(top + side, height);
    std::fill(sums.begin(), sums.end(), 0);
    for (std::size_t y = top; y < bottom; ++y) {
      const std::uint8_t* from = image.samples.data() + 3 * width * y;
      std::uint32_t* to = sums.data();
      for (std::size_t left = 0; left < width; left += side, to += 3) {
        const std::size_t right = std::min(left + side, width);
        for (std::size_t x = left; x < right; ++x, from += 3)
          for (std::size_t colour = 0; colour < 3; ++colour) to[colour] += from[colour];
      }
    }
    const std::uint32_t* sum = sums.data();
    for (std::size_t left = 0; left < width; left += side) {
      const auto pixels = static_cast<std::uint32_t>((bottom - top) * (std::min(left + side, width) - left));
      for (int colour = 0; colour < 3; ++colour)
        result.samples.push_back(static_cast<std::uint8_t>((*sum++ + pixels / 2) / pixels));
    }
  }
  return result;
}

}  // namespace components
