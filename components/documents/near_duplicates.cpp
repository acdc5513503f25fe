#include "components/documents/near_duplicates.hpp"

#include <algorithm>
#include <cstddef>

namespace components {
namespace {

constexpr int bands = 16, numbers_a_band = sketch_size / bands;
constexpr int least_equal = sketch_size / 3 + 1;

// The finaliser of splitmix64 (S. Vigna): each bit of the input changes half of the bits of the result.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::vector<std::uint64_t> words_of(std::string_view text) {
  constexpr std::uint64_t start = 14695981039346656037u, prime = 1099511628211u;  // FNV-1a
  std::vector<std::uint64_t> words;
  std::uint64_t word = start;
  const auto end_word = [&] {
    if (word != start) words.push_back(word);
    word = start;
  };
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == ' ') {
      end_word();
    } else if (byte >= 0x80 || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')) {
      word = (word ^ (byte >= 'A' && byte <= 'Z' ? byte + 32u : byte)) * prime;
    }
  }
  end_word();
  return words;
}

std::uint64_t key_of(const text_sketch& sketch, int band) {
  std::uint64_t key = static_cast<std::uint64_t>(band);
  for (int i = 0; i < numbers_a_band; ++i)
    key = mixed(key + sketch[static_cast<std::size_t>(band * numbers_a_band + i)] + 0x9e3779b97f4a7c15u);
  return key;
}

int equal_numbers(const text_sketch& a, const text_sketch& b) {
  int equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i];
  return equal;
}

}  // namespace

text_sketch sketch_of(std::string_view text) {
  text_sketch sketch;
  sketch.fill(~std::uint32_t{0});
  const std::vector<std::uint64_t> words = words_of(text);
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    const std::uint64_t run = mixed(words[i] + mixed(words[i + 1] + mixed(words[i + 2])));
    for (std::size_t k = 0; k < sketch.size(); ++k)
      sketch[k] = std::min(sketch[k], static_cast<std::uint32_t>(mixed(run + k * 0x9e3779b97f4a7c15u) >> 32));
  }
  return sketch;
}

std::optional<std::int64_t> near_duplicates::find_or_add(const text_sketch& sketch, std::int64_t id) {
  int most = least_equal - 1;
  std::size_t best = texts_.size();
  for (int band = 0; band < bands; ++band) {
    const auto [begin, end] = by_band_.equal_range(key_of(sketch, band));
    for (auto at = begin; at != end; ++at) {
      const int equal = equal_numbers(texts_[at->second].sketch, sketch);
      if (equal > most || (equal == most && best < texts_.size() && at->second < best)) {
        most = equal;
        best = at->second;
      }
    }
  }
  if (best < texts_.size()) return texts_[best].id;
  for (int band = 0; band < bands; ++band) by_band_.emplace(key_of(sketch, band), texts_.size());
  texts_.push_back({id, sketch});
  return std::nullopt;
}

}  // namespace components
