#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weir::field_bench::dedup {

using bytes = std::vector<std::uint8_t>;
using digest = std::array<std::uint8_t, 32>;  // SHA-256

// A content-defined piece of a block. Plain data.
struct chunk {
  std::span<const std::uint8_t> content;
  digest sum{};
  std::uint32_t unique = 0;  // the number of its first copy in the archive, counted from 0
  bool is_new = false;       // it is that first copy
  bytes packed;              // its content compressed, if it is new
};

// The compressor of a block.
enum class codec : std::uint8_t { bzip2, zstd };

// The item that goes through the stages: a part of the input, and what the stages found out about it. The input must
// outlive it. One stage at a time may change it.
struct block {
  std::size_t index = 0;
  std::span<const std::uint8_t> content;
  std::vector<chunk> chunks;
  codec by = codec::bzip2;
};
using held_block = std::shared_ptr<block>;

}  // namespace weir::field_bench::dedup
