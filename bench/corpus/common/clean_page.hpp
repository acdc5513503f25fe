#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "components/documents/near_duplicates.hpp"

namespace weir::corpus {

// The text of a page and its sketch.
struct sketched_text {
  std::string text;
  components::text_sketch sketch{};
};

// From raw text. Throws std::runtime_error if it is none, and the page is listed as failed.
sketched_text normalised(std::string_view raw);

// A page as it goes to the output: documents by their numbers, pages counted from 0.
struct clean_page {
  std::int64_t document = 0, page = 0;
  std::string text;
  std::optional<std::int64_t> duplicate_of;  // the document with a page that is nearly the same
};

// A document, or one page of it, that gave no text since it could not be read.
struct broken_part {
  std::int64_t document = 0;
  std::optional<std::int64_t> page;  // none: the whole document
  std::string cause;
  auto operator<=>(const broken_part&) const = default;
};

}  // namespace weir::corpus
