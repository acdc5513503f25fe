#pragma once

#include <cstdint>

namespace components {

// Row 2 radius of Pascal's triangle: the first 2 radius + 1 entries, whose sum is 2^(2 radius). The others are 0. Its
// layout is that of a kernel's argument. REQUIRES: radius of 0 to 12.
struct binomial_weights {
  explicit binomial_weights(int radius) {
    const auto taps = 2 * static_cast<std::uint32_t>(radius);
    for (std::uint32_t k = 1; k <= taps; ++k)
      of[k] = static_cast<std::uint32_t>(std::uint64_t{of[k - 1]} * (taps + 1 - k) / k);
  }

  std::uint32_t of[25] = {1};
};

}  // namespace components
