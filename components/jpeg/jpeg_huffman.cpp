#include "components/jpeg/jpeg_huffman.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace components {
namespace {

struct code {
  std::uint16_t bits = 0;
  std::uint8_t length = 0;  // 0: no code
};
using codes = std::array<code, 256>;  // by value

// Codes of one length are consecutive numbers; codes one bit longer start after them (T.81, section C.2).
codes codes_of(const huffman_table& table) {
  codes all{};
  unsigned next = 0;
  std::size_t value = 0;
  for (std::size_t length = 1; length <= 16; ++length, next <<= 1) {
    for (int i = 0; i < table.lengths[length - 1]; ++i) {
      all[table.values[value++]] = {static_cast<std::uint16_t>(next++), static_cast<std::uint8_t>(length)};
    }
  }
  return all;
}

class bit_writer {
 public:
  void write(unsigned bits, int length) {
    pending_ = pending_ << length | bits;
    for (count_ += length; count_ >= 8; count_ -= 8) write_byte(static_cast<std::uint8_t>(pending_ >> (count_ - 8)));
  }

  std::vector<std::uint8_t> finish() && {
    if (count_ > 0) write((1u << (8 - count_)) - 1, 8 - count_);
    return std::move(bytes_);
  }

 private:
  void write_byte(std::uint8_t byte) {
    bytes_.push_back(byte);
    if (byte == 0xff) bytes_.push_back(0);
  }

  std::uint64_t pending_ = 0;  // the lowest count_ bits are still to be written; fewer than 8 between two calls
  int count_ = 0;
  std::vector<std::uint8_t> bytes_;
};

// Writes the code of `zeros` and the bit length of `number`, then that many bits: of `number`, or of number - 1 if it
// is negative (T.81, sections F.1.2.1 and F.1.2.2).
void write_number(bit_writer& out, const codes& with, int zeros, int number) {
  const int length = std::bit_width(static_cast<unsigned>(std::abs(number)));
  const code& c = with[static_cast<std::size_t>(16 * zeros + length)];
  out.write(c.bits, c.length);
  out.write(static_cast<unsigned>(number < 0 ? number - 1 : number) & ((1u << length) - 1), length);
}

void require_range(int coefficient, int least, int most) {
  if (coefficient >= least && coefficient <= most) return;
  throw std::invalid_argument("entropy_coded: a coefficient is " + std::to_string(coefficient) +
                              ", and those of 8-bit samples are " + std::to_string(least) + " to " +
                              std::to_string(most) + " here");
}

}  // namespace

const std::array<std::uint8_t, 64>& zigzag() {
  static constexpr std::array<std::uint8_t, 64> order{
      0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,   //
      12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,  //
      35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,  //
      58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
  };
  return order;
}

const huffman_table& annex_k_dc_codes(jpeg_tables which) {
  static const huffman_table luminance{{0, 1, 5, 1, 1, 1, 1, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  static const huffman_table chrominance{{0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  return which == jpeg_tables::luminance ? luminance : chrominance;
}

const huffman_table& annex_k_ac_codes(jpeg_tables which) {
  static const huffman_table luminance{
      {0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125},
      {
          0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
          0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72,
          0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37,
          0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
          0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83,
          0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3,
          0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
          0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2,
          0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
      }};
  static const huffman_table chrominance{
      {0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119},
      {
          0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
          0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1,
          0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x35, 0x36,
          0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
          0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a,
          0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a,
          0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba,
          0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda,
          0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
      }};
  return which == jpeg_tables::luminance ? luminance : chrominance;
}

coded_plane entropy_coded(const quantised_plane& plane, jpeg_tables which) {
  require_jpeg_size("entropy_coded", plane.width, plane.height);
  require_jpeg_count("entropy_coded", "blocks", plane.blocks.size(), block_count(plane.width, plane.height));
  const codes dc = codes_of(annex_k_dc_codes(which)), ac = codes_of(annex_k_ac_codes(which));
  const code end_of_block = ac[0x00], sixteen_zeros = ac[0xf0];

  bit_writer out;
  int last_dc = 0;
  for (const auto& block : plane.blocks) {
    require_range(block[0], -1024, 1023);
    write_number(out, dc, 0, block[0] - last_dc);
    last_dc = block[0];
    int zeros = 0;
    for (std::size_t i = 1; i < 64; ++i) {
      const int number = block[zigzag()[i]];
      if (number == 0) {
        ++zeros;
        continue;
      }
      require_range(number, -1023, 1023);
      for (; zeros >= 16; zeros -= 16) out.write(sixteen_zeros.bits, sixteen_zeros.length);
      write_number(out, ac, zeros, number);
      zeros = 0;
    }
    if (zeros > 0) out.write(end_of_block.bits, end_of_block.length);
  }
  return {plane.width, plane.height, std::move(out).finish()};
}

}  // namespace components
