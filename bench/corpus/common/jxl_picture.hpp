#pragma once

#include <string>

#include "components/documents/picture.hpp"

namespace weir::corpus {

// The threads on which the encoder of pictures works: a team of OpenMP, or the caller's arena of oneTBB.
enum class image_threads { openmp, onetbb };

// Whether this program was built with libjxl.
bool has_jxl();

// A picture as a file of JPEG XL: grey, at distance 1 and effort 7, the defaults of libjxl. The encoder has no threads
// of its own: it hands its loops, a tile of 256 x 256 pixels an iteration, to the caller. Any number of threads gives
// the same bytes. May be called from many threads at the same time. Throws std::runtime_error where libjxl fails, for a
// picture that leptonica cannot convert to grey, and in a program that was built without libjxl.
std::string jxl_file(const components::picture& page, image_threads by);

}  // namespace weir::corpus
