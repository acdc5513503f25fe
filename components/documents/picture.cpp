#include "components/documents/picture.hpp"

#include <leptonica/allheaders.h>

#include <new>
#include <stdexcept>

namespace components {
namespace {

// Leptonica says on stderr what it also returns.
[[maybe_unused]] const bool is_quiet = setMsgSeverity(L_SEVERITY_NONE) >= 0;

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
  if (pixReadHeaderMem(data_of(file), file.size(), nullptr, &width, &height, nullptr, nullptr, nullptr)) return 0;
  return std::int64_t{width} * height;
}

picture decoded(const std::string& file, std::int64_t most_pixels) {
  const std::int64_t pixels = pixels_in_header(file);
  if (pixels <= 0) throw std::runtime_error("it is no picture that can be read");
  if (pixels > most_pixels)
    throw std::runtime_error("the picture has " + std::to_string(pixels) + " pixels; at most " +
                             std::to_string(most_pixels) + " are read");
  Pix* const made = pixReadMem(data_of(file), file.size());
  if (!made) throw std::runtime_error("the picture is damaged");
  return owned(made);
}

}  // namespace components
