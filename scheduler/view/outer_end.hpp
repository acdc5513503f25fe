#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>

namespace weir {

// The name of an end of the network, "input" or "output", among components: "(input)" where one has that name itself.
// Files are written and read by it. name_of: gives the name of an element of `components`. Pure.
template <class Components, class NameOf = std::identity>
std::string outer_end(const std::string& end, const Components& components, NameOf name_of = {}) {
  const bool is_taken = std::any_of(std::begin(components), std::end(components),
                                    [&](const auto& c) { return std::invoke(name_of, c) == end; });
  return is_taken ? "(" + end + ")" : end;
}

}  // namespace weir
