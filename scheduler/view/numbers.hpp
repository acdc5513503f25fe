#pragma once

#include <cstddef>
#include <limits>

#include "model/number_text.hpp"  // for rooms that may not use model

namespace weir {

// The time of an event that never happens.
inline constexpr double infinite_seconds = std::numeric_limits<double>::infinity();

// Two numbers that differ by less than this part are equal except for rounding.
inline constexpr double relative_rounding = 1e-9;

// The shortest and the longest time of an invocation that predictions and simulations compute with, in seconds. They
// are a picosecond cut over a million cores, and more than the age of the universe. Sums and ratios of such times, and
// of the counts that go with them, are finite and not 0.
inline constexpr double least_time = 1e-18, most_time = 1e18;

// False for NaN.
inline bool is_time(double seconds) { return seconds >= least_time && seconds <= most_time; }

// A derived number as an int within [least, most]; NaN is `least`. A plain cast of NaN, or of a value that no int
// holds, is undefined.
inline int as_int(double value, int least, int most) {
  if (!(value > least)) return least;
  return value < most ? static_cast<int>(value) : most;
}

// A component's number as the index of a vector.
inline std::size_t to_index(int i) { return static_cast<std::size_t>(i); }

}  // namespace weir
