#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/jpeg/rgb_image.hpp"
#include "components/matrix/matrix.hpp"

namespace components {

// Rows and columns of a value, without its elements: pixels of an image, entries of a matrix.
struct device_shape {
  std::size_t rows = 0, cols = 0;
  bool operator==(const device_shape&) const = default;
};

// device_value knows of a type its shape, the bytes of a shape, a value of a shape, and where the elements lie.

// Throws std::invalid_argument if the samples do not fit the size.
device_shape shape_of(const rgb_image& image);
inline device_shape shape_of(const matrix& m) { return {m.rows(), m.cols()}; }

// `each` bytes for each element. Throws std::length_error if no size_t holds the product, naming the size.
std::size_t bytes_of_elements(std::size_t each, const device_shape& shape);

template <class T>
std::size_t bytes_of(const device_shape& shape);
template <>
inline std::size_t bytes_of<rgb_image>(const device_shape& shape) {
  return bytes_of_elements(3, shape);
}
template <>
inline std::size_t bytes_of<matrix>(const device_shape& shape) {
  return bytes_of_elements(sizeof(double), shape);
}

template <class T>
T value_of(const device_shape& shape);
template <>
inline rgb_image value_of<rgb_image>(const device_shape& shape) {
  return {static_cast<int>(shape.cols), static_cast<int>(shape.rows),
          std::vector<std::uint8_t>(bytes_of<rgb_image>(shape))};
}
template <>
inline matrix value_of<matrix>(const device_shape& shape) {
  return {shape.rows, shape.cols};
}

inline std::uint8_t* data_of(rgb_image& image) { return image.samples.data(); }
inline const std::uint8_t* data_of(const rgb_image& image) { return image.samples.data(); }
inline double* data_of(matrix& m) { return m.data(); }
inline const double* data_of(const matrix& m) { return m.data(); }

}  // namespace components
