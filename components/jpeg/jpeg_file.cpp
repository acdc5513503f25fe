#include "components/jpeg/jpeg_file.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include "components/jpeg/jpeg_colour.hpp"
#include "components/jpeg/jpeg_dct.hpp"
#include "components/jpeg/jpeg_huffman.hpp"

namespace components {
namespace {

using bytes = std::vector<std::uint8_t>;

template <class Bytes>
void append(bytes& to, const Bytes& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::uint8_t high(int number) { return static_cast<std::uint8_t>(number >> 8); }
std::uint8_t low(int number) { return static_cast<std::uint8_t>(number); }

// A marker, the length of its segment including the length field itself, and the segment (T.81, section B.1.1.4).
void append_segment(bytes& to, std::uint8_t marker, const bytes& segment) {
  const int length = static_cast<int>(segment.size()) + 2;
  append(to, std::initializer_list<std::uint8_t>{0xff, marker, high(length), low(length)});
  append(to, segment);
}

void append_quantisation(bytes& to, std::uint8_t number, const quantisation_table& table) {
  to.push_back(number);
  for (const std::uint8_t at : zigzag()) to.push_back(table[at]);
}

void append_huffman(bytes& to, std::uint8_t kind_and_number, const huffman_table& table) {
  to.push_back(kind_and_number);
  append(to, table.lengths);
  append(to, table.values);
}

void require_one_size(const coded_plane& y, const coded_plane& other) {
  if (y.width == other.width && y.height == other.height) return;
  throw std::invalid_argument("jpeg_file: planes of " + std::to_string(y.width) + "x" + std::to_string(y.height) +
                              " and of " + std::to_string(other.width) + "x" + std::to_string(other.height) +
                              " are not of one picture");
}

}  // namespace

bytes jpeg_file(const coded_plane& y, const coded_plane& cb, const coded_plane& cr, const quantisation_table& luminance,
                const quantisation_table& chrominance) {
  require_jpeg_size("jpeg_file", y.width, y.height);
  require_one_size(y, cb);
  require_one_size(y, cr);

  bytes file{0xff, 0xd8};  // SOI
  append_segment(file, 0xe0,
                 {'J', 'F', 'I', 'F', 0, /*version*/ 1, 2, /*no unit*/ 0, 0, 1, 0, 1, /*no thumbnail*/ 0, 0});

  bytes quantisation;
  append_quantisation(quantisation, 0, luminance);
  append_quantisation(quantisation, 1, chrominance);
  append_segment(file, 0xdb, quantisation);

  // SOF0: 8 bits, the size, three components; for each its number, its sampling and its quantisation table.
  append_segment(file, 0xc0,
                 {8, high(y.height), low(y.height), high(y.width), low(y.width), 3,  //
                  1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1});

  bytes huffman;
  append_huffman(huffman, 0x00, annex_k_dc_codes(jpeg_tables::luminance));
  append_huffman(huffman, 0x10, annex_k_ac_codes(jpeg_tables::luminance));
  append_huffman(huffman, 0x01, annex_k_dc_codes(jpeg_tables::chrominance));
  append_huffman(huffman, 0x11, annex_k_ac_codes(jpeg_tables::chrominance));
  append_segment(file, 0xc4, huffman);

  std::uint8_t component = 1;
  for (const coded_plane* plane : {&y, &cb, &cr}) {  // SOS: one component, its Huffman tables, all 64 coefficients
    const std::uint8_t tables = component == 1 ? 0x00 : 0x11;
    append_segment(file, 0xda, {1, component++, tables, 0, 63, 0});
    append(file, plane->bytes);
  }
  append(file, std::initializer_list<std::uint8_t>{0xff, 0xd9});  // EOI
  return file;
}

bytes encode_jpeg(const rgb_image& image, std::int64_t quality) {
  const quantisation_table luminance = scaled_table(annex_k_table(jpeg_tables::luminance), quality);
  const quantisation_table chrominance = scaled_table(annex_k_table(jpeg_tables::chrominance), quality);
  const colour_planes planes = planes_of(image);
  return jpeg_file(entropy_coded(quantised(forward_dct(planes.y), luminance), jpeg_tables::luminance),
                   entropy_coded(quantised(forward_dct(planes.cb), chrominance), jpeg_tables::chrominance),
                   entropy_coded(quantised(forward_dct(planes.cr), chrominance), jpeg_tables::chrominance), luminance,
                   chrominance);
}

}  // namespace components
