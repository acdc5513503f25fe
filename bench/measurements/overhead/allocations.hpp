#pragma once

namespace weir::overhead {

// Calls of operator new so far, over all threads: this program's own replaces the library's. What each thread has
// counted is told to the others in batches, so up to 31 a thread are missing, and counting costs every implementer the
// same nanosecond. Memory that does not come from operator new is not counted: oneTBB's tasks and buffers come from an
// allocator of its own.
long long allocations() noexcept;

}  // namespace weir::overhead
