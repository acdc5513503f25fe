#pragma once

#include <cstddef>
#include <limits>

#include "model/number_text.hpp"  // for rooms that may not use model

namespace weir {

// The time of an event that never happens.
inline constexpr double infinite_seconds = std::numeric_limits<double>::infinity();

// Two numbers that differ by less than this part are equal except for rounding.
inline constexpr double relative_rounding = 1e-9;

// A component's number as the index of a vector.
inline std::size_t to_index(int i) { return static_cast<std::size_t>(i); }

}  // namespace weir
