#pragma once

// libjpeg's header needs the declarations of this one.
#include <cstdio>

#include <jpeglib.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "components/jpeg/rgb_image.hpp"

namespace components {

// libjpeg after reading a file's header. Its default error handler ends the program, that is, this one test case. A
// warning, for instance about a truncated file, fails the case.
class reader {
 public:
  explicit reader(const std::vector<std::uint8_t>& file) {
    info_.err = jpeg_std_error(&errors_);
    jpeg_create_decompress(&info_);
    jpeg_mem_src(&info_, file.data(), file.size());
    jpeg_read_header(&info_, TRUE);
  }
  ~reader() {
    EXPECT_EQ(errors_.num_warnings, 0);
    jpeg_destroy_decompress(&info_);
  }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  jpeg_decompress_struct& info() { return info_; }

 private:
  jpeg_error_mgr errors_{};
  jpeg_decompress_struct info_{};
};

inline rgb_image decoded(const std::vector<std::uint8_t>& file) {
  reader in(file);
  in.info().dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&in.info());
  rgb_image image{static_cast<int>(in.info().output_width), static_cast<int>(in.info().output_height), {}};
  const std::size_t row = 3 * static_cast<std::size_t>(image.width);
  image.samples.resize(row * static_cast<std::size_t>(image.height));
  while (in.info().output_scanline < in.info().output_height) {
    JSAMPROW to = image.samples.data() + row * in.info().output_scanline;
    jpeg_read_scanlines(&in.info(), &to, 1);
  }
  jpeg_finish_decompress(&in.info());
  return image;
}

// libjpeg's own encoding: 4:4:4, the tables of Annex K, and its DCT in floating point. At quality 100 its DCT in
// integers is 0.2 dB worse than both.
inline std::vector<std::uint8_t> encoded_by_libjpeg(const rgb_image& image, int quality) {
  jpeg_error_mgr errors{};
  jpeg_compress_struct out{};
  out.err = jpeg_std_error(&errors);
  jpeg_create_compress(&out);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&out, &memory, &size);
  out.image_width = static_cast<JDIMENSION>(image.width);
  out.image_height = static_cast<JDIMENSION>(image.height);
  out.input_components = 3;
  out.in_color_space = JCS_RGB;
  jpeg_set_defaults(&out);
  jpeg_set_quality(&out, quality, TRUE);
  for (int i = 0; i < 3; ++i) out.comp_info[i].h_samp_factor = out.comp_info[i].v_samp_factor = 1;
  out.dct_method = JDCT_FLOAT;
  jpeg_start_compress(&out, TRUE);
  std::vector<std::uint8_t> row(3 * static_cast<std::size_t>(image.width));
  while (out.next_scanline < out.image_height) {
    std::copy_n(image.samples.begin() + static_cast<std::ptrdiff_t>(row.size() * out.next_scanline), row.size(),
                row.begin());
    JSAMPROW from = row.data();
    jpeg_write_scanlines(&out, &from, 1);
  }
  jpeg_finish_compress(&out);
  jpeg_destroy_compress(&out);
  const std::vector<std::uint8_t> file(memory, memory + size);
  std::free(memory);
  return file;
}

}  // namespace components
