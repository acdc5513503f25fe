#pragma once

#include <algorithm>
#include <ranges>
#include <string>

namespace weir {

// The name of an end of the network, "input" or "output", among these names of components: "(input)" where a component
// has that name itself. Files are read and written by it. Pure.
template <std::ranges::input_range Names>
std::string outer_end(const std::string& end, const Names& names) {
  return std::ranges::find(names, end) == std::ranges::end(names) ? end : "(" + end + ")";
}

}  // namespace weir
