#pragma once

namespace weir::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(WEIR_COVERAGE)
inline constexpr bool sanitized = true;  // everything is some ten times slower
#else
inline constexpr bool sanitized = false;
#endif

// So many of that many random instances: what a sanitizer finds it finds in an eighth of them.
constexpr int fewer(int instances) { return sanitized ? instances / 8 + 1 : instances; }

}  // namespace weir::testing
