#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace components {

// The text as one frame of zstd with a checksum. Zstd starts `workers` threads of its own, which inherit where the
// caller may run; the bytes do not depend on how many. They gain where the text has several jobs of compressed_job
// bytes. May be called from many threads at the same time. Throws std::runtime_error when zstd fails.
std::string compressed(std::string_view text, int level, int workers);

inline constexpr std::size_t compressed_job = std::size_t{512} << 10;  // the least that zstd allows

// The bytes that were compressed. Throws std::runtime_error for other bytes, a damaged frame, and more than `most`
// bytes.
std::string decompressed(std::string_view frame, std::size_t most);

}  // namespace components
