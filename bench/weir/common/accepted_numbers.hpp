#pragma once

#include <string>

namespace weir::program {

// The numbers that a key, a column or an option accepts: those from `least` to `most` that are 0 or not smaller in size
// than 1e-30. So products of a few accepted numbers neither overflow nor become subnormal, and results computed of them
// need no check of their own. Plain data.
struct accepted_numbers {
  double least, most;

  bool have(double value) const;  // false for NaN
  // "a number in 0..1", or, if the value is only too small in size, "0 or a number of at least 1e-30 in size".
  std::string instead_of(double value) const;
};

// Numbers that mean the same everywhere. A time that is a denominator has the limits of is_usable(); the others are
// wider than anything that is measured.
inline constexpr accepted_numbers any_number{-1e30, 1e30};
inline constexpr accepted_numbers size_or_zero{0, 1e30};  // predictor values, bytes
inline constexpr accepted_numbers part_of_one{0, 1};
inline constexpr accepted_numbers up_to_1e12{0, 1e12};  // seconds and rates that may be 0, counts
inline constexpr accepted_numbers above_zero{1e-12, 1e12};
inline constexpr accepted_numbers bandwidths{1e-12, 1e30};   // bytes a second
inline constexpr accepted_numbers copies_of_record{0, 1e9};  // for one invocation; they are counted in an int

}  // namespace weir::program
