#include "components/jpeg/jpeg_colour.hpp"

#include <cstddef>

namespace components {
namespace {

// 128 + above / below, a value from 0.5 to 255.5. Adding 128 first keeps the dividend positive.
std::uint8_t difference(int above, int below) {
  return static_cast<std::uint8_t>((2 * (above + 128 * below) + below - 1) / (2 * below));
}

}  // namespace

colour_planes planes_of(const rgb_image& image) {
  require_jpeg_size("planes_of", image.width, image.height);
  const std::size_t pixels = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  require_jpeg_count("planes_of", "samples", image.samples.size(), 3 * pixels);

  const sample_plane empty{image.width, image.height, std::vector<std::uint8_t>(pixels)};
  colour_planes planes{empty, empty, empty};
  for (std::size_t i = 0; i < pixels; ++i) {
    const int r = image.samples[3 * i], g = image.samples[3 * i + 1], b = image.samples[3 * i + 2];
    planes.y.samples[i] = static_cast<std::uint8_t>((299 * r + 587 * g + 114 * b + 500) / 1000);
    planes.cb.samples[i] = difference(886 * b - 299 * r - 587 * g, 1772);
    planes.cr.samples[i] = difference(701 * r - 587 * g - 114 * b, 1402);
  }
  return planes;
}

}  // namespace components
