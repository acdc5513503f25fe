#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>

namespace weir {

// The name of an end of the network, "input" or "output", among components: in parentheses where one has that name
// itself, in as many as it takes. Files are written and read by it. name_of: gives the name of an element of
// `components`. Pure.
template <class Components, class NameOf = std::identity>
std::string outer_end(std::string end, const Components& components, NameOf name_of = {}) {
  while (std::any_of(std::begin(components), std::end(components),
                     [&](const auto& c) { return std::invoke(name_of, c) == end; }))
    end = "(" + end + ")";
  return end;
}

}  // namespace weir
