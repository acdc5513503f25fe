#pragma once

namespace weir::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;  // everything is some ten times slower
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace weir::testing
