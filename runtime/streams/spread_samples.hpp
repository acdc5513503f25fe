#pragma once

#include <cstdint>

namespace weir::detail {

// One of each row of `in_a_row`: the one in the row that begins at `first`. Which one the number of the row says: the
// multiples of the golden ratio spread it evenly, so that what alternates, or comes in batches, does not show the same
// side each time.
inline std::uint64_t chosen_of_row(std::uint64_t first, std::uint64_t in_a_row) {
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;  // its fraction, of 2^64
  return first + ((first / in_a_row * golden_ratio >> 32) * in_a_row >> 32);
}

// The next of them, this one or one behind it, where `length(n)` says how many are in the row of the n-th.
template <class Length>
std::uint64_t next_chosen(std::uint64_t from, const Length& length) {
  const std::uint64_t in_a_row = length(from), first = from / in_a_row * in_a_row,
                      here = chosen_of_row(first, in_a_row);
  return here >= from ? here : chosen_of_row(first + in_a_row, length(first + in_a_row));
}
inline std::uint64_t next_chosen(std::uint64_t from, std::uint32_t in_a_row) {
  return next_chosen(from, [&](std::uint64_t) -> std::uint64_t { return in_a_row; });
}

}  // namespace weir::detail
