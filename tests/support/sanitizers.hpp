#pragma once

namespace weir::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(WEIR_COVERAGE)
inline constexpr bool sanitized = true;  // everything is about ten times slower
#else
inline constexpr bool sanitized = false;
#endif

// Fewer random instances under a sanitizer, which finds its errors in an eighth of them.
constexpr int fewer(int instances) { return sanitized ? instances / 8 + 1 : instances; }

}  // namespace weir::testing
