#pragma once

#include <cstddef>
#include <limits>

namespace weir {

// The time of what never happens.
inline constexpr double infinite_seconds = std::numeric_limits<double>::infinity();

// Two numbers that differ by less than this part of them are the same but for rounding.
inline constexpr double relative_rounding = 1e-9;

// A component's number as a vector's index.
inline std::size_t to_index(int i) { return static_cast<std::size_t>(i); }

}  // namespace weir
