#pragma once

#include <atomic>

namespace weir::sizes {

// The bytes that this program's operator new, which replaces the library's, has allocated and not freed, by
// malloc_usable_size, over all threads. peak_bytes is the most since it was last set. A thread adds its count to the
// total only occasionally, so counting stays much cheaper than allocating. Both are exact to 16 kB per thread.
extern std::atomic<long long> live_bytes, peak_bytes;

}  // namespace weir::sizes
