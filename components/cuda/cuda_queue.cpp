#include "components/cuda/cuda_queue.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "components/cuda/cuda_kernels.hpp"

namespace components {
namespace {

template <class T>
T* elements_of(const device_memory& m) {
  return dynamic_cast<const cuda_memory&>(m).as<T>();
}

constexpr std::size_t most_groups = 65'535;  // of rows, and of a batch: CUDA's limit

void check_at_most(const std::string& doing, std::size_t given, std::size_t most, const std::string& unit) {
  if (given > most) throw device_error("CUDA: " + doing + ": expected at most " + std::to_string(most) + " " + unit);
}

}  // namespace

std::unique_ptr<device_memory> cuda_queue::allocate(std::size_t bytes) {
  return std::make_unique<cuda_memory>(device_, stream_, bytes);
}

void cuda_queue::blur(const device_memory& from, device_memory& to, int width, int height, int radius,
                      std::size_t count) {
  if (width == 0 || height == 0 || count == 0) return;
  const std::string doing = "a blur of " + std::to_string(width) + "x" + std::to_string(height) + " pixels";
  check_at_most(doing, static_cast<std::size_t>(width), std::numeric_limits<int>::max() / 3, "in a row");
  check_at_most(doing, static_cast<std::size_t>(height), most_groups * rows_of_blur_group, "rows");
  check_at_most(doing, count, most_groups, "in a batch");
  if (!between_ || between_->bytes() < to.bytes()) {
    between_.reset();  // before the larger one is there
    between_ = std::make_unique<cuda_memory>(device_, stream_, to.bytes());
  }
  const binomial_weights weights(radius);
  auto* const half = between_->as<std::uint8_t>();
  const auto images = static_cast<unsigned>(count);
  stream_->check(doing, start_blur_pass(stream_->get(), elements_of<const std::uint8_t>(from), half, width, height,
                                        radius, false, weights, images));
  stream_->check(doing, start_blur_pass(stream_->get(), half, elements_of<std::uint8_t>(to), width, height, radius,
                                        true, weights, images));
  stream_->wait(doing);
}

void cuda_queue::multiply(const device_memory& a, const device_memory& b, device_memory& c, std::size_t rows,
                          std::size_t depth, std::size_t cols, std::size_t count) {
  if (rows == 0 || cols == 0 || count == 0) return;
  const std::string doing = "a product of " + std::to_string(rows) + "x" + std::to_string(cols) + " entries";
  check_at_most(doing, rows, most_groups * side_of_product_group, "rows");
  check_at_most(doing, count, most_groups, "in a batch");
  stream_->check(doing, start_multiply(stream_->get(), elements_of<const double>(a), elements_of<const double>(b),
                                       elements_of<double>(c), rows, depth, cols, static_cast<unsigned>(count)));
  stream_->wait(doing);
}

}  // namespace components
