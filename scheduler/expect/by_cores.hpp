#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace weir {

// A lazily filled map from core count to Value: an array for small and consecutive counts, a std::map for sparse large
// ones. On large machines a few large counts then take no space for all counts below them. Not thread-safe. A reference
// is valid until the next operator[] or clear().
template <typename Value>
class by_cores {
 public:
  // `unset` is the value of counts that nothing was assigned to.
  explicit by_cores(Value unset = {}) : unset_(unset) {}

  Value& operator[](int cores) {
    const auto c = static_cast<std::size_t>(cores);
    return c < near_.size() ? near_[c] : another(c);
  }

  void clear() {
    near_.clear();
    far_.clear();
  }

 private:
  static constexpr std::size_t small = 64;

  [[gnu::noinline]] Value& another(std::size_t c) {  // not inline, so that existing values are found inline
    if (c >= small && c > near_.size()) return far_.try_emplace(c, unset_).first->second;
    near_.resize(c < 16 ? 16 : c + c / 2, unset_);
    return near_[c];
  }

  Value unset_;
  std::vector<Value> near_;
  std::map<std::size_t, Value> far_;
};

}  // namespace weir
