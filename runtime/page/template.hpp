#pragma once

#include <span>
#include <string_view>

namespace weir::detail {

// The page with marks in the place of its title, its data and the feed, cut into pieces that every compiler takes as
// literals. None where weir is built without the page. assemble.cmake writes the source.
std::span<const std::string_view> page_template() noexcept;

}  // namespace weir::detail
