#pragma once

namespace weir::testing {

#if defined(__has_feature)  // clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WEIR_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(WEIR_COVERAGE) || defined(WEIR_SANITIZED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// Tests are smaller: where everything takes several times as long, under a sanitizer or where the tested code is not
// optimised, and in .ci/run, which every change waits for. It says nothing of the tests' own optimisation.
#if defined(WEIR_DEBUG_BUILD) || defined(WEIR_SMALL_TESTS)
inline constexpr bool slow = true;
#else
inline constexpr bool slow = sanitized;
#endif

// Fewer random instances where tests are smaller; a sanitizer finds its errors in an eighth of them.
constexpr int fewer(int instances) { return slow ? instances / 8 + 1 : instances; }

}  // namespace weir::testing
