#pragma once

#include <cstdint>

#include "components/documents/picture.hpp"

namespace components {

// A page that is ready to be read.
struct cleaned_page {
  picture image;             // grey, on white, without specks, upright
  std::int64_t letters = 0;  // connected dark areas that are as high as a letter may be
};

// Makes the background even, takes out noise, turns the page upright if it is up to 5 degrees off, and counts shapes
// that look like letters. Their number says best how long reading takes.
//
// Works on bands of rows in parallel, in the caller's task arena of oneTBB; every number of cores gives the same bits.
// To find the angle and to count are one thread's work. Throws std::runtime_error for a picture that leptonica cannot
// convert to grey.
cleaned_page cleaned(const picture& page);

}  // namespace components
