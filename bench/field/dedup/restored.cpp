#include <bzlib.h>
#include <zstd.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/field/dedup/stages.hpp"

namespace weir::field_bench::dedup {
namespace {

using view = std::span<const std::uint8_t>;

[[noreturn]] void damaged(const char* what) {
  throw std::runtime_error(std::string("the archive is damaged: ") + what);
}

std::uint32_t number_at(view archive, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number |= static_cast<std::uint32_t>(archive[at + i]) << (8 * i);
  return number;
}

// Appends what one stream of bzip2 holds, and returns the bytes of it.
std::size_t append_bzip2(bytes& to, view packed) {
  bz_stream stream{};
  if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::runtime_error("libbz2 cannot decompress");
  stream.next_in = reinterpret_cast<char*>(const_cast<std::uint8_t*>(packed.data()));
  stream.avail_in = static_cast<unsigned>(packed.size());
  bytes part(1 << 20);
  int state = BZ_OK;
  while (state == BZ_OK) {
    stream.next_out = reinterpret_cast<char*>(part.data());
    stream.avail_out = static_cast<unsigned>(part.size());
    state = BZ2_bzDecompress(&stream);
    if (state == BZ_OK && stream.avail_out == part.size()) state = BZ_DATA_ERROR;  // it ends in the middle
    to.insert(to.end(), part.begin(), part.end() - stream.avail_out);
  }
  const std::size_t used = packed.size() - stream.avail_in;
  BZ2_bzDecompressEnd(&stream);
  if (state != BZ_STREAM_END) damaged("a stream of bzip2");
  return used;
}

// The same for one frame of zstd.
std::size_t append_zstd(bytes& to, view packed) {
  const std::size_t used = ZSTD_findFrameCompressedSize(packed.data(), packed.size());
  const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (ZSTD_isError(used) || size == ZSTD_CONTENTSIZE_ERROR) damaged("a frame of zstd");
  if (size == ZSTD_CONTENTSIZE_UNKNOWN) throw std::runtime_error("a frame of zstd does not say its size");
  const std::size_t before = to.size();
  to.resize(before + size);
  if (ZSTD_decompress(to.data() + before, size, packed.data(), used) != size) damaged("a frame of zstd");
  return used;
}

bytes restored_chunks(view archive) {
  constexpr std::size_t header = 9;  // the kind and two numbers
  bytes input;
  std::vector<std::pair<std::size_t, std::size_t>> unique;  // where each lies in the input, and its size
  for (std::size_t at = 0; at < archive.size();) {
    if (archive.size() - at < header) damaged("it ends in a header");
    const std::uint8_t kind = archive[at];
    const std::uint32_t size = number_at(archive, at + 1), second = number_at(archive, at + 5);
    at += header;
    const std::size_t begin = input.size();
    if (kind == 'd') {
      if (second >= unique.size() || unique[second].second != size) damaged("a copy without a first one");
      input.resize(begin + size);
      std::copy_n(input.begin() + static_cast<std::ptrdiff_t>(unique[second].first), size,
                  input.begin() + static_cast<std::ptrdiff_t>(begin));
      continue;
    }
    if (second > archive.size() - at) damaged("it ends in a chunk");
    const view packed = archive.subspan(at, second);
    const std::size_t used = kind == 'z' ? append_zstd(input, packed) : append_bzip2(input, packed);
    if (used != second || input.size() - begin != size) damaged("a chunk of another size");
    unique.emplace_back(begin, size);
    at += second;
  }
  return input;
}

}  // namespace

bytes restored(const bytes& archive, const job& what) {
  if (what.finds_duplicates) return restored_chunks(archive);
  bytes input;
  for (view left = archive; !left.empty();) {
    const bool is_bzip2 = left.size() > 2 && left[0] == 'B' && left[1] == 'Z';
    left = left.subspan(is_bzip2 ? append_bzip2(input, left) : append_zstd(input, left));
  }
  return input;
}

}  // namespace weir::field_bench::dedup
