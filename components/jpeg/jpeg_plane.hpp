#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace components {

// The forms of one component of a picture (ITU-T T.81: Y, Cb or Cr) in a JPEG encoder: samples, coefficients, quantised
// coefficients, an entropy-coded segment. All are values and contain the size of the picture in samples, since no
// component is subsampled (4:4:4). Blocks are of 8x8, stored row by row from the top, as are the 64 entries of a block.
// The last block of a row and of a column may reach beyond the picture.

struct sample_plane {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> samples;  // row by row from the top
};

struct coefficient_plane {
  int width = 0;
  int height = 0;
  std::vector<std::array<float, 64>> blocks;  // [8 v + u]: frequency v down, u to the right
};

struct quantised_plane {
  int width = 0;
  int height = 0;
  std::vector<std::array<std::int16_t, 64>> blocks;
};

struct coded_plane {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> bytes;  // ends on a whole byte, without a marker
};

// The two sets of tables in T.81, Annex K: Y uses the first, Cb and Cr share the second.
enum class jpeg_tables { luminance, chrominance };

// How many blocks cover a picture of that size.
std::size_t block_count(int width, int height);

// Throws std::invalid_argument, naming `who` and the size, unless each side is 1 to 65535. T.81, table B.2, gives a
// side 16 bits, and a height of 0 there means that the height is not known yet.
void require_jpeg_size(const std::string& who, int width, int height);

// Throws std::invalid_argument, naming `who` and both numbers, unless they are equal.
void require_jpeg_count(const std::string& who, const std::string& what, std::size_t given, std::size_t expected);

}  // namespace components
