#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/documents/picture.hpp"

namespace components {

// The bytes of a file, shared by all pages that are cut from it.
using file_bytes = std::shared_ptr<const std::string>;

enum class page_kind {
  text,  // of a PDF, with text in it that can be taken out
  scan,  // of a PDF, without: it has to be rendered and read
  image  // a file that is one picture
};

// One page of a document, still in the bytes of its file. A value.
struct page_source {
  file_bytes file;
  int index = 0;  // in the file, from 0
  page_kind kind = page_kind::text;
  std::int64_t pixels = 0;  // of its picture; for a page of text: as if it were rendered
};

// Larger files and pictures are refused, since they would take too much memory.
inline constexpr std::int64_t most_pixels = 100'000'000;  // 100 MB in grey; a page of A0 at 200 dots an inch is 62
inline constexpr int render_dpi =
    150;  // tesseract reads 10 point letters well from here on; twice as many cost 3 times

// The pages of a PDF or a picture, in order; a PDF is known by its bytes, not by its name. Poppler's and leptonica's
// messages are not printed. Throws std::runtime_error if the bytes are no such file, are damaged, or need a password.
//
// These three may be called from many threads at the same time: each opens the bytes for itself.
std::vector<page_source> pages_of(const file_bytes& file);

// The text of a page of kind `text`, in UTF-8. Throws std::runtime_error if the page cannot be read.
std::string extracted_text(const page_source& page);

// A page of kind `scan`, drawn in grey at render_dpi; or one of kind `image`, decoded. Throws std::runtime_error if
// it cannot be read or has more than most_pixels.
picture rendered(const page_source& page);

}  // namespace components
