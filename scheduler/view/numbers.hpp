#pragma once

#include <cstddef>
#include <limits>

namespace weir {

// Seconds until what does not come.
inline constexpr double never = std::numeric_limits<double>::infinity();

// Numbers that are the same but for rounding differ by less than this part of them.
inline constexpr double rounding = 1e-9;

// For vectors by component, whose numbers are int.
inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace weir
