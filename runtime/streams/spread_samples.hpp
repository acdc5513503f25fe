#pragma once

#include <cstdint>

namespace weir::detail {

// The sample of a row of `in_a_row` numbers, the row that begins at `first`. The number of the row chooses it.
// Multiples of the golden ratio spread the choice evenly, so that records which alternate or come in batches do not
// show the same side each time.
inline std::uint64_t chosen_of_row(std::uint64_t first, std::uint64_t in_a_row) {
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;  // the fraction of the golden ratio, times 2^64
  return first + ((first / in_a_row * golden_ratio >> 32) * in_a_row >> 32);
}

// The next sample from this number on, where `length(n)` is the length of the row that n is in.
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
