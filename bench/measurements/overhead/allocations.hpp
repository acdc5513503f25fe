#pragma once

namespace weir::overhead {

// The number of calls of operator new so far, over all threads; this program's operator new replaces the library's.
// Each thread adds its count to the total in batches, so up to 31 calls per thread are missing. Counting costs every
// implementation the same nanosecond. Memory from other sources is not counted: oneTBB's tasks and buffers come from
// its own allocator.
long long allocations() noexcept;

}  // namespace weir::overhead
