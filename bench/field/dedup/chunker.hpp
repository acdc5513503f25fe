#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir::field_bench::dedup {

// The sizes of chunks, in bytes. `mean` counts from `least` on and is a power of two.
struct chunk_sizes {
  std::size_t least = 4096, mean = 16384, most = 65536;
};

// The lengths of the content-defined chunks of some bytes, in order; their sum is the size of the bytes. A chunk ends
// where a rolling hash of the last 64 bytes has log2(mean) zero bits at its upper end. So the same content has the same
// borders wherever it lies, after the first one of them. The hash is the gear of Xia et al., FastCDC, USENIX ATC 2016,
// section 3: shift, then add a random number for the byte. Pure.
std::vector<std::size_t> chunk_lengths(std::span<const std::uint8_t> content, const chunk_sizes& sizes = {});

}  // namespace weir::field_bench::dedup
