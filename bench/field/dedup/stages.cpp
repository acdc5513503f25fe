#include "bench/field/dedup/stages.hpp"

#include <bzlib.h>
#include <openssl/evp.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "bench/field/dedup/chunker.hpp"

namespace weir::field_bench::dedup {
namespace {

// Bits of information a byte has by the frequencies of bytes alone, from every 16th of them.
double entropy_of(std::span<const std::uint8_t> content) {
  std::array<std::uint32_t, 256> counts{};
  double sampled = 0, bits = 0;
  for (std::size_t i = 0; i < content.size(); i += 16, ++sampled) ++counts[content[i]];
  for (const std::uint32_t n : counts)
    if (n > 0) bits -= n / sampled * std::log2(n / sampled);
  return bits;
}

void put(bytes& to, std::uint32_t number) {
  for (int i = 0; i < 4; ++i) to.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
}

}  // namespace

std::size_t block_count(const bytes& input, const job& what) {
  return (input.size() + what.block_size - 1) / what.block_size;
}

held_block nth_block(const bytes& input, const job& what, std::size_t index) {
  if (what.clock) what.clock->wait_for(index);
  auto made = std::make_shared<block>();
  made->index = index;
  const std::size_t at = index * what.block_size;
  made->content = std::span(input).subspan(at, std::min(what.block_size, input.size() - at));
  return made;
}

void cut(block& b, const job& what) {
  constexpr double redundant = 7;  // bits a byte: text has 4 to 5, compressed or random data nearly 8
  const bool quick = what.compressor == "zstd" || (what.compressor == "mixed" && entropy_of(b.content) > redundant);
  b.by = quick ? codec::zstd : codec::bzip2;
  std::span<const std::uint8_t> left = b.content;
  const auto lengths = what.finds_duplicates ? chunk_lengths(left) : std::vector<std::size_t>{left.size()};
  for (const std::size_t length : lengths) {
    b.chunks.emplace_back();
    b.chunks.back().content = left.first(length);
    left = left.subspan(length);
  }
}

void hash(block& b, const job& what) {
  if (!what.finds_duplicates) return;
  static const std::unique_ptr<EVP_MD, void (*)(EVP_MD*)> sha256(EVP_MD_fetch(nullptr, "SHA256", nullptr), EVP_MD_free);
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  for (chunk& c : b.chunks)
    if (!EVP_DigestInit_ex2(context.get(), sha256.get(), nullptr) ||
        !EVP_DigestUpdate(context.get(), c.content.data(), c.content.size()) ||
        !EVP_DigestFinal_ex(context.get(), c.sum.data(), nullptr))
      throw std::runtime_error("libcrypto cannot compute SHA-256");
}

void seen_before::mark(block& b, const job& what) {
  for (chunk& c : b.chunks) {
    c.is_new = true;
    if (!what.finds_duplicates) continue;
    const auto [at, added] = seen_.emplace(c.sum, count_);
    c.is_new = added;
    c.unique = at->second;
    count_ += added;
  }
}

void compress_bzip2(block& b) {
  for (chunk& c : b.chunks) {
    if (!c.is_new) continue;
    c.packed.resize(c.content.size() + c.content.size() / 100 + 600);  // as its manual demands
    auto size = static_cast<unsigned>(c.packed.size());
    const int level = std::clamp(static_cast<int>((c.content.size() + 99999) / 100000), 1, 9);  // of 100,000 bytes
    // libbz2 takes its input as char*, and reads it only.
    auto* const from = reinterpret_cast<char*>(const_cast<std::uint8_t*>(c.content.data()));
    if (BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(c.packed.data()), &size, from,
                                 static_cast<unsigned>(c.content.size()), level, 0, 0) != BZ_OK)
      throw std::runtime_error("libbz2 cannot compress a chunk");
    c.packed.resize(size);
  }
}

void compress_zstd(block& b) {
  thread_local const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  for (chunk& c : b.chunks) {
    if (!c.is_new) continue;
    c.packed.resize(ZSTD_compressBound(c.content.size()));
    const std::size_t size =
        ZSTD_compressCCtx(context.get(), c.packed.data(), c.packed.size(), c.content.data(), c.content.size(), 3);
    if (ZSTD_isError(size)) throw std::runtime_error(std::string("zstd: ") + ZSTD_getErrorName(size));
    c.packed.resize(size);
  }
}

void compress(block& b) { b.by == codec::zstd ? compress_zstd(b) : compress_bzip2(b); }

void append(bytes& archive, block& b, const job& what) {
  for (chunk& c : b.chunks) {
    if (what.finds_duplicates) {
      archive.push_back(!c.is_new ? 'd' : b.by == codec::zstd ? 'z' : 'b');
      put(archive, static_cast<std::uint32_t>(c.content.size()));
      put(archive, c.is_new ? static_cast<std::uint32_t>(c.packed.size()) : c.unique);
    }
    archive.insert(archive.end(), c.packed.begin(), c.packed.end());
  }
  b.chunks = {};
  if (what.clock) what.clock->done(b.index);
}

}  // namespace weir::field_bench::dedup
