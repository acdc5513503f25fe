#pragma once

#include <cstdint>

namespace weir::testing {

// Uses the processor for `rounds` rounds of about a nanosecond, whatever the optimiser does.
inline void spend(std::int64_t rounds) {
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i < rounds; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    asm volatile("" : "+r"(state));
  }
}

}  // namespace weir::testing
