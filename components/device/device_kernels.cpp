#include "components/device/device_kernels.hpp"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace components {
namespace {

std::string text_of(const device_shape& s) { return std::to_string(s.rows) + "x" + std::to_string(s.cols); }

void check_radius(int radius) {
  if (radius < 0 || radius > 12)
    throw std::invalid_argument("blurred: radius " + std::to_string(radius) + ": expected 0 to 12");
}

device_shape product_shape(const device_shape& a, const device_shape& b) {
  if (a.cols != b.rows)
    throw std::invalid_argument("multiplied: a matrix of " + text_of(a) + " times one of " + text_of(b) +
                                " does not fit");
  return {a.rows, b.cols};
}

std::unique_ptr<device_memory> blurred(device_queue& queue, const device_memory& from, const device_shape& shape,
                                       int radius) {
  auto to = queue.allocate(bytes_of<rgb_image>(shape));
  queue.blur(from, *to, static_cast<int>(shape.cols), static_cast<int>(shape.rows), radius);
  return to;
}

std::unique_ptr<device_memory> multiplied(device_queue& queue, const device_memory& a, const device_memory& b,
                                          std::size_t depth, const device_shape& shape) {
  auto to = queue.allocate(bytes_of<matrix>(shape));
  queue.multiply(a, b, *to, shape.rows, depth, shape.cols);
  return to;
}

template <class T>
std::unique_ptr<device_memory> copy_of(device_queue& queue, const T& value, const device_shape& shape) {
  auto there = queue.allocate(bytes_of<T>(shape));
  there->write(data_of(value));
  return there;
}

template <class T>
T copy_back(const device_memory& from, const device_shape& shape) {
  T value = value_of<T>(shape);
  from.read(data_of(value));
  return value;
}

}  // namespace

device_image blurred(device_queue& queue, const device_image& image, int radius) {
  check_radius(radius);
  return {image.shape(), blurred(queue, image.on_device(queue), image.shape(), radius)};
}

device_matrix multiplied(device_queue& queue, const device_matrix& a, const device_matrix& b) {
  const device_shape shape = product_shape(a.shape(), b.shape());
  return {shape, multiplied(queue, a.on_device(queue), b.on_device(queue), a.shape().cols, shape)};
}

rgb_image blurred(device_queue& queue, const rgb_image& image, int radius) {
  check_radius(radius);
  const device_shape shape = shape_of(image);
  return copy_back<rgb_image>(*blurred(queue, *copy_of(queue, image, shape), shape, radius), shape);
}

matrix multiplied(device_queue& queue, const matrix& a, const matrix& b) {
  const device_shape left = shape_of(a), right = shape_of(b), shape = product_shape(left, right);
  const auto there_a = copy_of(queue, a, left), there_b = copy_of(queue, b, right);
  return copy_back<matrix>(*multiplied(queue, *there_a, *there_b, left.cols, shape), shape);
}

}  // namespace components
