#pragma once

// WEIR_FRESH_BLOCKS: each block has memory of its own, so that AddressSanitizer sees a use after release.
#if defined(__SANITIZE_ADDRESS__)
#define WEIR_FRESH_BLOCKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEIR_FRESH_BLOCKS 1
#endif
#endif
