#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace components {

// The text of a page with each run of white space made one blank, and without control characters. Nothing if it is no
// text: fewer than 20 bytes, or fewer than half of them letters, as where a drawing was read. Bytes of UTF-8 beyond
// ASCII count as letters.
std::optional<std::string> clean_text(std::string_view raw);

}  // namespace components
