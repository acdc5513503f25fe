#include "components/device/device_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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
  queue.blur(from, *to, static_cast<int>(shape.cols), static_cast<int>(shape.rows), radius, 1);
  return to;
}

std::unique_ptr<device_memory> multiplied(device_queue& queue, const device_memory& a, const device_memory& b,
                                          std::size_t depth, const device_shape& shape) {
  auto to = queue.allocate(bytes_of<matrix>(shape));
  queue.multiply(a, b, *to, shape.rows, depth, shape.cols, 1);
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

// The operands of a batch that have one size, by their indices.
using members = std::vector<std::size_t>;

// They lie behind each other on the device.
template <class T>
std::unique_ptr<device_memory> copy_of(device_queue& queue, std::span<const T> all, const members& which,
                                       const device_shape& shape) {
  using element = std::remove_cvref_t<decltype(*data_of(all[0]))>;
  const std::size_t each = bytes_of<T>(shape) / sizeof(element);
  std::vector<element> packed;
  packed.reserve(which.size() * each);
  for (const std::size_t i : which) packed.insert(packed.end(), data_of(all[i]), data_of(all[i]) + each);
  auto there = queue.allocate(packed.size() * sizeof(element));
  there->write(packed.data());
  return there;
}

template <class T>
void copy_back(const device_memory& from, const device_shape& shape, const members& which, std::vector<T>& to) {
  using element = std::remove_cvref_t<decltype(*data_of(to[0]))>;
  const std::size_t each = bytes_of<T>(shape) / sizeof(element);
  std::vector<element> packed(which.size() * each);
  from.read(packed.data());
  for (auto next = packed.begin(); const std::size_t i : which) {
    to[i] = value_of<T>(shape);
    std::copy_n(next, each, data_of(to[i]));
    next += static_cast<std::ptrdiff_t>(each);
  }
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

std::vector<rgb_image> blurred(device_queue& queue, std::span<const rgb_image> images, int radius) {
  check_radius(radius);
  std::map<std::pair<std::size_t, std::size_t>, members> by_size;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const device_shape shape = shape_of(images[i]);
    by_size[{shape.rows, shape.cols}].push_back(i);
  }
  std::vector<rgb_image> results(images.size());
  for (const auto& [size, which] : by_size) {
    const device_shape shape{size.first, size.second};
    const auto from = copy_of(queue, images, which, shape);
    const auto to = queue.allocate(from->bytes());
    queue.blur(*from, *to, static_cast<int>(shape.cols), static_cast<int>(shape.rows), radius, which.size());
    copy_back(*to, shape, which, results);
  }
  return results;
}

std::vector<matrix> multiplied(device_queue& queue, std::span<const matrix> a, std::span<const matrix> b) {
  if (a.size() != b.size())
    throw std::invalid_argument("multiplied: " + std::to_string(a.size()) + " matrices times " +
                                std::to_string(b.size()) + ": expected as many");
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, members> by_size;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const device_shape shape = product_shape(shape_of(a[i]), shape_of(b[i]));
    by_size[{shape.rows, a[i].cols(), shape.cols}].push_back(i);
  }
  std::vector<matrix> results(a.size());
  for (const auto& [size, which] : by_size) {
    const auto& [rows, depth, cols] = size;
    const device_shape shape{rows, cols};
    const auto there_a = copy_of(queue, a, which, {rows, depth}), there_b = copy_of(queue, b, which, {depth, cols});
    const auto to = queue.allocate(which.size() * bytes_of<matrix>(shape));
    queue.multiply(*there_a, *there_b, *to, rows, depth, cols, which.size());
    copy_back(*to, shape, which, results);
  }
  return results;
}

}  // namespace components
