#include "components/jpeg/jpeg_plane.hpp"

#include <stdexcept>

namespace components {

std::size_t block_count(int width, int height) {
  return (static_cast<std::size_t>(width) + 7) / 8 * ((static_cast<std::size_t>(height) + 7) / 8);
}

void require_jpeg_size(const std::string& who, int width, int height) {
  constexpr int most = 65535;
  if (width >= 1 && width <= most && height >= 1 && height <= most) return;
  throw std::invalid_argument(who + ": a JPEG is 1 to 65535 samples wide and high, and this is " +
                              std::to_string(width) + "x" + std::to_string(height));
}

void require_jpeg_count(const std::string& who, const std::string& what, std::size_t given, std::size_t expected) {
  if (given == expected) return;
  throw std::invalid_argument(who + ": " + std::to_string(given) + " " + what + " where the size asks for " +
                              std::to_string(expected));
}

}  // namespace components
