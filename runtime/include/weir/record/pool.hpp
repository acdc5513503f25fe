#pragma once

#include <cstddef>

namespace [[gnu::visibility("default")]] weir {
namespace pool {

// Memory blocks of one size for record bodies and small field values. Each thread recycles the blocks that it releases,
// so records need no allocator once a stream runs. A block may be released by another thread than the one that
// allocated it; threads pass batches of free blocks on to each other. Thread-safe. Not part of the public interface.
//
// Under AddressSanitizer every block is a fresh allocation, so that the sanitizer sees a use after release.
inline constexpr std::size_t block_size = 128;      // bytes: a record of up to 13 labels, or a boxed field of up to 120
inline constexpr std::size_t block_alignment = 64;  // bytes, a cache line: a record of up to 5 labels lies in one

void* allocate();  // throws std::bad_alloc
void release(void* block) noexcept;

// Blocks allocated and not yet released, over all threads. Exact while no other thread uses the pool; for tests.
long long live();

}  // namespace pool
}  // namespace weir
