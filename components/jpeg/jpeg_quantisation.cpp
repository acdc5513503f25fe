#include "components/jpeg/jpeg_quantisation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace components {

const quantisation_table& annex_k_table(jpeg_tables which) {
  static constexpr quantisation_table luminance{
      16, 11, 10, 16, 24,  40,  51,  61,   //
      12, 12, 14, 19, 26,  58,  60,  55,   //
      14, 13, 16, 24, 40,  57,  69,  56,   //
      14, 17, 22, 29, 51,  87,  80,  62,   //
      18, 22, 37, 56, 68,  109, 103, 77,   //
      24, 35, 55, 64, 81,  104, 113, 92,   //
      49, 64, 78, 87, 103, 121, 120, 101,  //
      72, 92, 95, 98, 112, 100, 103, 99,
  };
  static constexpr quantisation_table chrominance{
      17, 18, 24, 47, 99, 99, 99, 99,  //
      18, 21, 26, 66, 99, 99, 99, 99,  //
      24, 26, 56, 99, 99, 99, 99, 99,  //
      47, 66, 99, 99, 99, 99, 99, 99,  //
      99, 99, 99, 99, 99, 99, 99, 99,  //
      99, 99, 99, 99, 99, 99, 99, 99,  //
      99, 99, 99, 99, 99, 99, 99, 99,  //
      99, 99, 99, 99, 99, 99, 99, 99,
  };
  return which == jpeg_tables::luminance ? luminance : chrominance;
}

quantisation_table scaled_table(const quantisation_table& table, std::int64_t quality) {
  if (quality < 1 || quality > 100) {
    throw std::invalid_argument("scaled_table: a quality is 1 to 100, and this is " + std::to_string(quality));
  }
  const std::int64_t percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  quantisation_table scaled{};
  std::transform(table.begin(), table.end(), scaled.begin(), [percent](std::int64_t entry) {
    return static_cast<std::uint8_t>(std::clamp<std::int64_t>((entry * percent + 50) / 100, 1, 255));
  });
  return scaled;
}

quantised_plane quantised(const coefficient_plane& plane, const quantisation_table& table) {
  require_jpeg_size("quantised", plane.width, plane.height);
  require_jpeg_count("quantised", "blocks", plane.blocks.size(), block_count(plane.width, plane.height));
  if (std::count(table.begin(), table.end(), 0) > 0) {
    throw std::invalid_argument("quantised: an entry of the table is 0, and each is 1 to 255");
  }
  quantised_plane result{plane.width, plane.height, {}};
  result.blocks.resize(plane.blocks.size());
  for (std::size_t block = 0; block < plane.blocks.size(); ++block) {
    for (std::size_t i = 0; i < 64; ++i) {
      result.blocks[block][i] = static_cast<std::int16_t>(std::lround(plane.blocks[block][i] / table[i]));
    }
  }
  return result;
}

}  // namespace components
