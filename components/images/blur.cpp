#include "components/images/blur.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "components/for_ranges.hpp"
#include "components/images/binomial_weights.hpp"

namespace components {
namespace {

// The rows of a range, one after the other: downwards into a row with `radius` pixels more on each side, then along it.
class row_blur {
 public:
  row_blur(const rgb_image& image, std::size_t radius, const binomial_weights& weights)
      : image_(image),
        weights_(weights),
        radius_(radius),
        row_(3 * static_cast<std::size_t>(image.width)),
        sums_(row_),
        padded_(row_ + 6 * radius_) {}

  void run(std::size_t y, std::uint8_t* out) {
    clear();
    for (std::size_t tap = 0; tap <= 2 * radius_; ++tap) {
      const auto last = static_cast<std::ptrdiff_t>(image_.height) - 1;
      const auto wanted = static_cast<std::ptrdiff_t>(y + tap) - static_cast<std::ptrdiff_t>(radius_);
      add(image_.samples.data() + row_ * static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(wanted, 0, last)),
          weights_.of[tap]);
    }
    std::uint8_t* const middle = padded_.data() + 3 * radius_;
    store(middle);
    for (std::size_t i = 0; i < 3 * radius_; ++i) {
      padded_[i] = middle[i % 3];
      middle[row_ + i] = middle[row_ - 3 + i % 3];
    }

    clear();
    for (std::size_t tap = 0; tap <= 2 * radius_; ++tap) add(padded_.data() + 3 * tap, weights_.of[tap]);
    store(out);
  }

 private:
  void clear() { std::fill(sums_.begin(), sums_.end(), std::uint32_t{1} << (2 * radius_) >> 1); }  // a half, to round
  void add(const std::uint8_t* from, std::uint32_t weight) {
    for (std::size_t i = 0; i < row_; ++i) sums_[i] += weight * from[i];
  }
  void store(std::uint8_t* to) const {
    for (std::size_t i = 0; i < row_; ++i) to[i] = static_cast<std::uint8_t>(sums_[i] >> (2 * radius_));
  }

  const rgb_image& image_;
  const binomial_weights& weights_;
  std::size_t radius_, row_;
  std::vector<std::uint32_t> sums_;
  std::vector<std::uint8_t> padded_;
};

}  // namespace

rgb_image blurred(const rgb_image& image, int radius) {
  if (radius < 0 || radius > 12)
    throw std::invalid_argument("blurred: radius " + std::to_string(radius) + ": expected 0 to 12");
  const std::size_t samples =
      std::size_t{3} * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  if (image.samples.size() != samples)
    throw std::invalid_argument("blurred: " + std::to_string(image.samples.size()) + " samples: expected " +
                                std::to_string(samples));
  rgb_image result{image.width, image.height, std::vector<std::uint8_t>(samples)};
  if (samples == 0) return result;
  const binomial_weights weights(radius);
  const std::size_t row = 3 * static_cast<std::size_t>(image.width);
  // 64 rows cost far more than a task, and a late core leaves the others that much at most.
  for_ranges(static_cast<std::size_t>(image.height), 64, [&](std::size_t begin, std::size_t end) {
    row_blur rows(image, static_cast<std::size_t>(radius), weights);
    for (std::size_t y = begin; y < end; ++y) rows.run(y, result.samples.data() + row * y);
  });
  return result;
}

}  // namespace components
