#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace components {

// MinHash (A. Broder, On the resemblance and containment of documents, 1997): the part of equal numbers in two sketches
// estimates how many of their runs of three words two texts share.
inline constexpr int sketch_size = 64;  // the estimate's standard error is at most 1 / (2 sqrt(64)) = 6 %
using text_sketch = std::array<std::uint32_t, sketch_size>;

// The sketch of a text. Words are letters in lower case; what else is in them is left out. The same on every machine.
text_sketch sketch_of(std::string_view text);

// The texts so far, by sketch. For one thread at a time. It has a constant size for each text, about 1 kB.
class near_duplicates {
 public:
  // The id of the earlier text that is most like this one, the first of equals; nothing if none shares more than a
  // third of its runs. Only then is this text added, under `id`. So a text like a copy refers to the copy's original.
  //
  // Candidates are found by locality-sensitive hashing, 16 bands of 4 numbers. Two in three texts are found that share
  // a half of their runs. With two thirds shared 97 in 100 are found, with four fifths all but one in 4,500.
  std::optional<std::int64_t> find_or_add(const text_sketch& sketch, std::int64_t id);

 private:
  struct kept_text {
    std::int64_t id;
    text_sketch sketch;
  };
  std::vector<kept_text> texts_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_band_;  // places in texts_
};

}  // namespace components
