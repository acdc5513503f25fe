#include "bench/field/dedup/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/support/bad_input.hpp"

namespace weir::field_bench::dedup {
namespace {

using generator = std::mt19937_64;

// Writes text-like bytes: words by Zipf's law.
class text_source {
 public:
  explicit text_source(generator& random) : random_(random) {
    constexpr std::size_t words = 20000;
    const std::string letters =
        "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddlllluuucccmmmwwffggyyppbvk";
    double sum = 0;
    for (std::size_t i = 0; i < words; ++i) {
      std::string word;
      for (std::size_t n = 1 + random_() % 4 + random_() % 6; word.size() < n;)
        word += letters[random_() % letters.size()];
      words_.push_back(word + ' ');
      sums_.push_back(sum += 1 / static_cast<double>(i + 1));
    }
  }

  void append(bytes& to, std::size_t size) {
    const std::size_t end = to.size() + size;
    while (to.size() < end) {
      const double at = std::uniform_real_distribution<double>(0, sums_.back())(random_);
      const auto found = std::lower_bound(sums_.begin(), sums_.end(), at);
      const std::string& word = words_[static_cast<std::size_t>(found - sums_.begin())];
      to.insert(to.end(), word.begin(), word.end());
      if (random_() % 12 == 0) to.back() = random_() % 6 == 0 ? '\n' : '.';
    }
    to.resize(end);
  }

 private:
  generator& random_;
  std::vector<std::string> words_;
  std::vector<double> sums_;
};

void append_random(bytes& to, std::size_t size, generator& random) {
  for (std::size_t i = 0; i < size; ++i) to.push_back(static_cast<std::uint8_t>(random()));
}

// Copies come from the bytes since `begin`.
void append_repeated(bytes& to, std::size_t size, std::size_t begin, text_source& text, generator& random) {
  const std::size_t end = to.size() + size;
  while (to.size() < end) {
    const std::size_t piece = std::min<std::size_t>(end - to.size(), 8192 + random() % 122880);
    const std::size_t written = to.size() - begin;
    if (written <= piece || random() % 10 >= 7) {
      text.append(to, piece);
    } else {
      const std::size_t from = begin + random() % (written - piece);
      for (std::size_t i = 0; i < piece; ++i) to.push_back(to[from + i]);
    }
  }
}

}  // namespace

std::vector<std::string> input_kinds() { return {"text", "random", "repeated", "phases"}; }

bytes random_input(const std::string& kind, std::size_t size, std::uint64_t seed) {
  generator random(seed);
  text_source text(random);
  bytes input;
  input.reserve(size + 64);  // a word more than asked for
  const auto append = [&](const std::string& of, std::size_t count) {
    if (of == "text")
      text.append(input, count);
    else if (of == "random")
      append_random(input, count, random);
    else
      append_repeated(input, count, 0, text, random);
  };
  const std::vector<std::string> kinds = input_kinds();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    throw program::bad_input(fmt::format("input \"{}\" is none of {}", kind, fmt::join(kinds, ", ")));
  if (kind != "phases") {
    append(kind, size);
  } else {
    const std::vector<std::string> parts{"text", "random", "repeated", "random", "text", "repeated", "random", "text"};
    for (std::size_t p = 0; p < parts.size(); ++p) append(parts[p], size * (p + 1) / parts.size() - input.size());
  }
  return input;
}

}  // namespace weir::field_bench::dedup
