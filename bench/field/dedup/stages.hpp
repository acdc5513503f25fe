#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "bench/field/common/arrival_clock.hpp"
#include "bench/field/dedup/block.hpp"

namespace weir::field_bench::dedup {

// The work of all ways. Plain data.
struct job {
  bool finds_duplicates = true;      // false: plain compression, a block is one chunk, and nothing is hashed
  std::string compressor = "mixed";  // bzip2, zstd, or mixed: bzip2 for blocks with redundant bytes, zstd for others
  std::size_t block_size = 512 * 1024;
  arrival_clock* clock = nullptr;  // blocks arrive by it; without one all are there. It must outlive the run
};

// The blocks of an input; the nth one once it has arrived.
std::size_t block_count(const bytes& input, const job& what);
held_block nth_block(const bytes& input, const job& what, std::size_t index);

// The stages that a block goes through, in this order. All but mark and append may run for several blocks at the same
// time; the two need blocks in their order.
void cut(block& b, const job& what);   // into chunks; also chooses the compressor
void hash(block& b, const job& what);  // SHA-256 of each chunk, by libcrypto

// Which chunks were there before.
class seen_before {
 public:
  void mark(block& b, const job& what);

 private:
  std::map<digest, std::uint32_t> seen_;
  std::uint32_t count_ = 0;
};

// Compress the new chunks: bzip2 with blocks as large as the chunk up to level 9, zstd at level 3. Throw
// std::runtime_error when the library fails.
void compress_bzip2(block& b);
void compress_zstd(block& b);
void compress(block& b);  // by b.by

// The archive: for each chunk its length, and its compressed content or the number of its first copy. Without search
// for duplicates only the compressed contents, which bzip2 and zstd themselves decompress. Gives up the contents. The
// block is through then.
void append(bytes& archive, block& b, const job& what);

// The input that an archive was made of. Throws std::runtime_error where it is damaged.
bytes restored(const bytes& archive, const job& what);

}  // namespace weir::field_bench::dedup
