#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "components/jpeg/jpeg_plane.hpp"

namespace components {

// A Huffman table as a file carries it (ITU-T T.81, section B.2.4.2): how many codes there are of 1 to 16 bits, and
// what they stand for, shortest codes first.
struct huffman_table {
  std::array<std::uint8_t, 16> lengths;
  std::vector<std::uint8_t> values;
};

// Tables K.3 and K.4 of Annex K, for differences of DC coefficients; a value is a number of bits.
const huffman_table& annex_k_dc_codes(jpeg_tables which);

// Tables K.5 and K.6, for AC coefficients; a value is a number of zeros times 16 and a number of bits.
const huffman_table& annex_k_ac_codes(jpeg_tables which);

// The order in which a block's entries are written (T.81, figure 5): which one, row by row, comes at each place.
const std::array<std::uint8_t, 64>& zigzag();

// The entropy-coded segment of a scan of one component (T.81, section F.1.2) with the codes of Annex K: blocks row by
// row, each the difference of its DC coefficient to the last one's, and its AC coefficients in zigzag order, as lengths
// of runs of zeros and what follows them. A byte of 255 is followed by a 0, the last byte filled with ones. On the
// calling thread; may be called from many at once, for different components of one picture, too: they share nothing.
//
// Cost: O(blocks), and more the more coefficients are not 0. Throws std::invalid_argument when a side is not 1 to
// 65535, when the number of blocks does not fit it, and when a coefficient is none of 8-bit samples: DC coefficients
// are within -1024..1023, AC coefficients within -1023..1023.
coded_plane entropy_coded(const quantised_plane& plane, jpeg_tables which);

}  // namespace components
