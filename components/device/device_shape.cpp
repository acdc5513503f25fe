#include "components/device/device_shape.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace components {

std::size_t bytes_of_elements(std::size_t each, const device_shape& shape) {
  const std::size_t most = std::numeric_limits<std::size_t>::max() / each;
  if (shape.cols != 0 && shape.rows > most / shape.cols)
    throw std::length_error("a value of " + std::to_string(shape.rows) + "x" + std::to_string(shape.cols) +
                            " elements: expected at most " + std::to_string(most));
  return each * shape.rows * shape.cols;
}

device_shape shape_of(const rgb_image& image) {
  const device_shape shape{static_cast<std::size_t>(image.height), static_cast<std::size_t>(image.width)};
  if (image.width < 0 || image.height < 0 || image.samples.size() != bytes_of<rgb_image>(shape))
    throw std::invalid_argument("an image of " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                                " has " + std::to_string(image.samples.size()) +
                                " samples: expected three for each pixel");
  return shape;
}

}  // namespace components
