#include "components/jpeg/jpeg_dct.hpp"

#include <algorithm>
#include <cstddef>

namespace components {
namespace {

using block_of_doubles = std::array<double, 64>;

// cos(m pi / 16).
constexpr double cosine(int m) {
  constexpr double quarter[9]{1.0,
                              0.98078528040323043,
                              0.92387953251128674,
                              0.83146961230254524,
                              0.70710678118654752,
                              0.55557023301960218,
                              0.38268343236508977,
                              0.19509032201612825,
                              0.0};
  const int turned = m % 32 > 16 ? 32 - m % 32 : m % 32;
  return turned <= 8 ? quarter[turned] : -quarter[16 - turned];
}

// C(u) / 2 cos((2 x + 1) u pi / 16) at [8 x + u]: the rows of one dimension's transform.
constexpr block_of_doubles make_basis() {
  block_of_doubles basis{};
  for (int x = 0; x < 8; ++x) {
    for (int u = 0; u < 8; ++u) {
      basis[static_cast<std::size_t>(8 * x + u)] = (u == 0 ? cosine(4) : 1.0) / 2 * cosine((2 * x + 1) * u);
    }
  }
  return basis;
}
constexpr block_of_doubles basis = make_basis();

// Transforms each row and exchanges rows and columns. Applied twice, it is the two-dimensional transform.
block_of_doubles transformed_rows(const block_of_doubles& from) {
  block_of_doubles to{};
  for (std::size_t row = 0; row < 8; ++row) {
    std::array<double, 8> sums{};
    for (std::size_t x = 0; x < 8; ++x) {
      for (std::size_t u = 0; u < 8; ++u) sums[u] += from[8 * row + x] * basis[8 * x + u];
    }
    for (std::size_t u = 0; u < 8; ++u) to[8 * u + row] = sums[u];
  }
  return to;
}

}  // namespace

coefficient_plane forward_dct(const sample_plane& plane) {
  require_jpeg_size("forward_dct", plane.width, plane.height);
  const std::size_t width = static_cast<std::size_t>(plane.width), height = static_cast<std::size_t>(plane.height);
  require_jpeg_count("forward_dct", "samples", plane.samples.size(), width * height);

  coefficient_plane result{plane.width, plane.height, {}};
  result.blocks.reserve(block_count(plane.width, plane.height));
  for (std::size_t top = 0; top < height; top += 8) {
    for (std::size_t left = 0; left < width; left += 8) {
      block_of_doubles block{};
      for (std::size_t i = 0; i < 64; ++i) {
        const std::size_t row = std::min(top + i / 8, height - 1), col = std::min(left + i % 8, width - 1);
        block[i] = plane.samples[row * width + col] - 128.0;
      }
      const block_of_doubles coefficients = transformed_rows(transformed_rows(block));
      auto& kept = result.blocks.emplace_back();
      std::transform(coefficients.begin(), coefficients.end(), kept.begin(),
                     [](double each) { return static_cast<float>(each); });
    }
  }
  return result;
}

}  // namespace components
