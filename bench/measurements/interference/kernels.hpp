#pragma once

#include <array>
#include <cstddef>
#include <functional>

namespace weir::program {

inline constexpr std::array kernel_names{"triad", "gather", "cached", "compute"};

// An invocation of a kernel with buffers of its own, of `bytes` where it has to miss all caches: it takes about a
// millisecond. One thread at a time may call it. REQUIRES: an index of kernel_names.
std::function<void()> make_kernel(std::size_t which, std::size_t bytes);

}  // namespace weir::program
