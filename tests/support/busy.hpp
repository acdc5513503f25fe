#pragma once

#include <chrono>

namespace weir::testing {

// Keeps the core busy for `span`.
inline void busy(std::chrono::microseconds span) {
  for (const auto end = std::chrono::steady_clock::now() + span; std::chrono::steady_clock::now() < end;) {
  }
}

}  // namespace weir::testing
