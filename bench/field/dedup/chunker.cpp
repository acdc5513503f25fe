#include "bench/field/dedup/chunker.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace weir::field_bench::dedup {
namespace {

// Random numbers by SplitMix64 (Steele, Lea, Flood, 2014): the same for every archive.
constexpr std::array<std::uint64_t, 256> make_gear() {
  std::array<std::uint64_t, 256> all{};
  std::uint64_t state = 0x77656972;
  for (std::uint64_t& one : all) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    one = z ^ (z >> 31);
  }
  return all;
}
constexpr std::array<std::uint64_t, 256> gear = make_gear();

std::size_t first_length(std::span<const std::uint8_t> content, const chunk_sizes& sizes) {
  constexpr std::size_t window = 64;  // a byte is shifted out of the hash after 64 others
  const std::size_t end = std::min(content.size(), sizes.most);
  const auto bits = static_cast<unsigned>(std::bit_width(sizes.mean) - 1);
  const std::uint64_t mask = ~std::uint64_t{0} << (64 - bits);
  std::uint64_t hash = 0;
  for (std::size_t at = sizes.least > window ? sizes.least - window : 0; at < end; ++at) {
    hash = (hash << 1) + gear[content[at]];
    if (at + 1 >= sizes.least && (hash & mask) == 0) return at + 1;
  }
  return end;
}

}  // namespace

std::vector<std::size_t> chunk_lengths(std::span<const std::uint8_t> content, const chunk_sizes& sizes) {
  std::vector<std::size_t> lengths;
  while (!content.empty()) {
    lengths.push_back(first_length(content, sizes));
    content = content.subspan(lengths.back());
  }
  return lengths;
}

}  // namespace weir::field_bench::dedup
