#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "components/jpeg/jpeg_plane.hpp"

namespace components {

// A Huffman table as in a file (ITU-T T.81, section B.2.4.2). It has the number of codes of each length from 1 to 16
// bits, and the values of the codes, shortest codes first.
struct huffman_table {
  std::array<std::uint8_t, 16> lengths;
  std::vector<std::uint8_t> values;
};

// Tables K.3 and K.4 of Annex K, for differences of DC coefficients; a value is a number of bits.
const huffman_table& annex_k_dc_codes(jpeg_tables which);

// Tables K.5 and K.6, for AC coefficients; a value is 16 times a number of zeros plus a number of bits.
const huffman_table& annex_k_ac_codes(jpeg_tables which);

// The order of a block's entries in the file (T.81, figure 5): for each position, the entry's index row by row.
const std::array<std::uint8_t, 64>& zigzag();

// The entropy-coded segment of a scan of one component (T.81, section F.1.2) with the codes of Annex K. Blocks come row
// by row. Each block gives the difference of its DC coefficient to that of the block before. Its AC coefficients follow
// in zigzag order, as lengths of runs of zeros and the number after each run. A byte of 255 is followed by a 0, and the
// last byte is filled up with ones. Runs on the calling thread. May be called from many threads at the same time, also
// for components of the same picture: the calls share nothing.
//
// Cost: O(blocks), and more with each coefficient that is not 0. Throws std::invalid_argument if a side is not 1 to
// 65535, if the number of blocks does not fit it, or if a coefficient cannot come from 8-bit samples. DC coefficients
// are within -1024..1023, AC coefficients within -1023..1023.
coded_plane entropy_coded(const quantised_plane& plane, jpeg_tables which);

}  // namespace components
