#include "components/documents/picture.hpp"

#include <leptonica/allheaders.h>
#include <zlib.h>

#include <new>
#include <stdexcept>
#include <string_view>

namespace components {
namespace {

// Leptonica prints on stderr the errors that it also returns.
[[maybe_unused]] const bool is_quiet = setMsgSeverity(L_SEVERITY_NONE) >= 0;

// A number of four bytes, the highest first.
std::uint32_t number_at(const std::string& file, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(file[at + i]);
  return number;
}

// Whether all chunks of a PNG file are there and have the right checksum. Libpng looks as well, but what it finds it
// says on stderr, and leptonica does not stop it.
bool is_whole_png(const std::string& file) {
  constexpr std::size_t around = 12;  // length, name and checksum of a chunk
  for (std::size_t at = 8; at + around <= file.size();) {
    const std::size_t length = number_at(file, at);
    if (length > file.size() - at - around) return false;
    const auto* const checked = reinterpret_cast<const Bytef*>(file.data() + at + 4);
    if (crc32(crc32(0, nullptr, 0), checked, static_cast<uInt>(length + 4)) != number_at(file, at + 8 + length))
      return false;
    if (std::string_view(file).substr(at + 4, 4) == "IEND") return true;
    at += around + length;
  }
  return false;
}

// Whether a JPEG file has a frame, a scan and an end. A part of it could be decoded without; but of that libjpeg tells
// on stderr, too.
bool is_whole_jpeg(const std::string& file) {
  bool has_frame = false;
  for (std::size_t at = 2; at + 4 <= file.size();) {
    const auto marker = static_cast<unsigned char>(file[at + 1]);
    const std::size_t length = number_at(file, at) & 0xffff;
    if (file[at] != '\xff' || length < 2 || length > file.size() - at - 2) return false;
    if (marker == 0xda) return has_frame && file.find("\xff\xd9", at) != file.npos;
    has_frame = has_frame || (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc);
    at += 2 + length;
  }
  return false;
}

// Checks the formats that most pictures have; others are left to their library.
bool is_whole(const std::string& file) {
  if (file.starts_with("\x89PNG")) return is_whole_png(file);
  if (file.starts_with("\xff\xd8")) return is_whole_jpeg(file);
  return true;
}

const l_uint8* data_of(const std::string& file) { return reinterpret_cast<const l_uint8*>(file.data()); }

}  // namespace

picture owned(Pix* made) {
  if (!made) throw std::bad_alloc();
  return {made, [](Pix* p) { pixDestroy(&p); }};
}

std::int64_t pixels_of(const picture& p) { return std::int64_t{pixGetWidth(p.get())} * pixGetHeight(p.get()); }

std::int64_t pixels_in_header(const std::string& file) {
  l_int32 format = IFF_UNKNOWN, width = 0, height = 0;
  // Leptonica looks at the first bytes without asking how many there are.
  if (file.size() < 12 || findFileFormatBuffer(data_of(file), &format) || format == IFF_UNKNOWN || format == IFF_LPDF)
    return 0;
  if (format == IFF_JFIF_JPEG && !is_whole_jpeg(file)) return 0;  // its header is looked for in the same way
  if (pixReadHeaderMem(data_of(file), file.size(), nullptr, &width, &height, nullptr, nullptr, nullptr)) return 0;
  return std::int64_t{width} * height;
}

picture decoded(const std::string& file, std::int64_t most_pixels) {
  const std::int64_t pixels = pixels_in_header(file);
  if (pixels <= 0) throw std::runtime_error("it is no picture that can be read");
  if (pixels > most_pixels)
    throw std::runtime_error("the picture has " + std::to_string(pixels) + " pixels; at most " +
                             std::to_string(most_pixels) + " are read");
  if (!is_whole(file)) throw std::runtime_error("the picture is damaged");
  Pix* const made = pixReadMem(data_of(file), file.size());
  if (!made) throw std::runtime_error("the picture is damaged");
  return owned(made);
}

}  // namespace components
