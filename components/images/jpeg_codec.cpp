#include "components/images/jpeg_codec.hpp"

#include <csetjmp>
#include <cstddef>
#include <cstdio>  // jpeglib.h needs it before itself
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include <jpeglib.h>

namespace components {
namespace {

// libjpeg reports an error by a function that must not return. It jumps out of libjpeg, whose C code an exception need
// not be able to leave. No function with a destructor to run lies between setjmp and the jump.
struct error_handler {
  jpeg_error_mgr manager{};
  std::jmp_buf back{};
  char text[JMSG_LENGTH_MAX] = {};

  static error_handler& of(j_common_ptr codec) { return *static_cast<error_handler*>(codec->client_data); }

  // The handler must outlive the codec's use.
  template <class Codec>
  void install(Codec& codec) {
    codec.err = jpeg_std_error(&manager);
    codec.client_data = this;
    manager.error_exit = [](j_common_ptr c) {
      c->err->format_message(c, of(c).text);
      std::longjmp(of(c).back, 1);
    };
    // Level -1 is a warning of damaged data, which libjpeg repairs by guessing. Higher levels are for debugging.
    manager.emit_message = [](j_common_ptr c, int level) {
      if (level < 0) c->err->error_exit(c);
    };
  }
};

class decoder {
 public:
  decoder() {
    errors_.install(codec_);
    if (setjmp(errors_.back)) throw std::runtime_error(errors_.text);
    jpeg_create_decompress(&codec_);
  }
  ~decoder() { jpeg_destroy_decompress(&codec_); }
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;

  // The size, from the header.
  rgb_image begin(const std::vector<std::uint8_t>& file) {
    if (setjmp(errors_.back)) throw std::runtime_error(errors_.text);
    jpeg_mem_src(&codec_, file.data(), file.size());
    jpeg_read_header(&codec_, TRUE);
    codec_.out_color_space = JCS_RGB;
    codec_.dct_method = JDCT_ISLOW;
    jpeg_calc_output_dimensions(&codec_);
    return {static_cast<int>(codec_.output_width), static_cast<int>(codec_.output_height), {}};
  }

  // REQUIRES: `samples` has room for the picture.
  void finish(std::uint8_t* samples) {
    if (setjmp(errors_.back)) throw std::runtime_error(errors_.text);
    jpeg_start_decompress(&codec_);
    const std::size_t row = std::size_t{3} * codec_.output_width;
    while (codec_.output_scanline < codec_.output_height) {
      JSAMPROW to = samples + row * codec_.output_scanline;
      jpeg_read_scanlines(&codec_, &to, 1);
    }
    jpeg_finish_decompress(&codec_);
  }

 private:
  error_handler errors_;
  jpeg_decompress_struct codec_{};
};

class encoder {
 public:
  // The most that a file of this size takes, by libjpeg-turbo's tjBufSize: 3 bytes a pixel of whole blocks of 16x16.
  // With less, libjpeg would allocate, and would leave the old address behind where memory runs out.
  encoder(int width, int height)
      : room_(std::size_t{3} * static_cast<std::size_t>((width + 15) / 16 * 16) *
                  static_cast<std::size_t>((height + 15) / 16 * 16) +
              2048) {
    errors_.install(codec_);
    if (setjmp(errors_.back)) throw std::runtime_error(errors_.text);
    jpeg_create_compress(&codec_);
  }
  ~encoder() {
    jpeg_destroy_compress(&codec_);
    if (bytes_ != room_.data()) std::free(bytes_);
  }
  encoder(const encoder&) = delete;
  encoder& operator=(const encoder&) = delete;

  void run(const rgb_image& image, int quality) {
    if (setjmp(errors_.back)) throw std::runtime_error(errors_.text);
    jpeg_mem_dest(&codec_, &bytes_, &size_);
    codec_.image_width = static_cast<JDIMENSION>(image.width);
    codec_.image_height = static_cast<JDIMENSION>(image.height);
    codec_.input_components = 3;
    codec_.in_color_space = JCS_RGB;
    jpeg_set_defaults(&codec_);
    codec_.dct_method = JDCT_ISLOW;
    jpeg_set_quality(&codec_, quality, TRUE);
    jpeg_start_compress(&codec_, TRUE);
    while (codec_.next_scanline < codec_.image_height) {
      // libjpeg does not write to the rows it encodes; its type for a row is older than const.
      JSAMPROW from =
          const_cast<JSAMPROW>(image.samples.data() + std::size_t{3} * codec_.image_width * codec_.next_scanline);
      jpeg_write_scanlines(&codec_, &from, 1);
    }
    jpeg_finish_compress(&codec_);
  }

  std::vector<std::uint8_t> bytes() const { return {bytes_, bytes_ + size_}; }

 private:
  std::vector<std::uint8_t> room_;
  error_handler errors_;
  jpeg_compress_struct codec_{};
  unsigned char* bytes_ = room_.data();  // libjpeg's own, by malloc, if there were not enough room
  unsigned long size_ = room_.size();
};

}  // namespace

rgb_image decoded_jpeg(const std::vector<std::uint8_t>& file) {
  if (file.empty()) throw std::runtime_error("the file is empty");
  decoder codec;
  rgb_image image = codec.begin(file);
  if (std::int64_t{image.width} * image.height > largest_picture)
    throw std::runtime_error("a picture of " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                             " is too large: expected at most " + std::to_string(largest_picture) + " pixels");
  image.samples.resize(std::size_t{3} * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  codec.finish(image.samples.data());
  return image;
}

std::vector<std::uint8_t> encoded_jpeg(const rgb_image& image, int quality) {
  if (quality < 1 || quality > 100)
    throw std::invalid_argument("encoded_jpeg: quality " + std::to_string(quality) + ": expected 1 to 100");
  for (const int side : {image.width, image.height})
    if (side < 1 || side > JPEG_MAX_DIMENSION)
      throw std::invalid_argument("encoded_jpeg: a picture of " + std::to_string(image.width) + "x" +
                                  std::to_string(image.height) + ": expected sides of 1 to " +
                                  std::to_string(JPEG_MAX_DIMENSION));
  const std::size_t samples =
      std::size_t{3} * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  if (image.samples.size() != samples)
    throw std::invalid_argument("encoded_jpeg: " + std::to_string(image.samples.size()) + " samples: expected " +
                                std::to_string(samples));
  encoder codec(image.width, image.height);
  codec.run(image, quality);
  return codec.bytes();
}

}  // namespace components
