#pragma once

#include <atomic>

namespace weir::sizes {

// What operator new of this program, which replaces the library's, has handed out and has not got back, in bytes by
// malloc_usable_size, over all threads; and the most that it has been since somebody set it. A thread tells the others
// only so often: counting stays much cheaper than allocating, both are exact to 16 kB a thread.
extern std::atomic<long long> live_bytes, peak_bytes;

}  // namespace weir::sizes
