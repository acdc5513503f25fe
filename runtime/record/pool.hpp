#pragma once

#include <cstddef>

namespace [[gnu::visibility("default")]] weir {
namespace pool {

// Blocks of one size for record bodies and small field values, recycled per thread: a record costs no trip to the
// allocator once a stream runs. Blocks may be released by another thread than the one that allocated them; full
// batches of free blocks then travel between threads. Thread-safe.
//
// Under AddressSanitizer every block is a fresh allocation, so that use after release is seen.
inline constexpr std::size_t block_size = 128;  // a record of up to 13 labels, or a boxed field of up to 120 bytes
inline constexpr std::size_t block_alignment = 16;

void* allocate();  // throws std::bad_alloc
void release(void* block) noexcept;

// Blocks handed out and not yet released, over all threads. Exact when no other thread is at work; for tests.
long long live();

}  // namespace pool
}  // namespace weir
