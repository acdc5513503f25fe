#pragma once

#include <cstdint>
#include <memory>
#include <string>

struct Pix;  // leptonica's picture

namespace components {

// A picture of leptonica, shared by those that use it and freed by the last one. A picture never changes once it is
// made, so any number of threads may read it.
using picture = std::shared_ptr<Pix>;

// Takes over a picture that leptonica made. Throws std::bad_alloc for null: that is how leptonica says that memory ran
// out.
picture owned(Pix* made);

// The number of its pixels.
std::int64_t pixels_of(const picture& p);

// Decodes a PNG, JPEG, TIFF, BMP, PNM, GIF or WebP file. Its size is read first, so that a file of a few bytes which
// says that it has a billion pixels takes no memory. Throws std::runtime_error if the bytes are no such file, or if it
// has more than `most_pixels`.
picture decoded(const std::string& file, std::int64_t most_pixels);

// The pixels that the header of such a file tells; 0 if the bytes are no such file.
std::int64_t pixels_in_header(const std::string& file);

}  // namespace components
