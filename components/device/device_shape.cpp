#include "components/device/device_shape.hpp"

#include <stdexcept>
#include <string>

namespace components {

device_shape shape_of(const rgb_image& image) {
  const device_shape shape{static_cast<std::size_t>(image.height), static_cast<std::size_t>(image.width)};
  if (image.width < 0 || image.height < 0 || image.samples.size() != bytes_of<rgb_image>(shape))
    throw std::invalid_argument("an image of " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                                " has " + std::to_string(image.samples.size()) +
                                " samples: expected three for each pixel");
  return shape;
}

}  // namespace components
