#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weir {

// The indices of all values, or of `most` that are the largest; in their order.
template <class T, class Value>
std::vector<std::size_t> largest(const std::vector<T>& of, std::size_t most, Value value) {
  std::vector<std::size_t> all(of.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  if (all.size() <= most) return all;
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most), all.end(),
                   [&](std::size_t a, std::size_t b) {
                     const auto of_a = value(of[a]), of_b = value(of[b]);
                     return of_a != of_b ? of_a > of_b : a < b;
                   });
  all.resize(most);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace weir
