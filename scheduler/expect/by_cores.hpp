#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <vector>

namespace weir {

// A lazily filled map from core count to Value: an array inside the object for the smallest counts, a vector for
// consecutive ones, and a std::map for sparse large ones. On large machines a few large counts then take no space for
// all counts below them. Not thread-safe. A reference is valid until the next operator[] or clear().
template <typename Value>
class by_cores {
 public:
  // `unset` is the value of counts that nothing was assigned to.
  explicit by_cores(Value unset = {}) : unset_(unset) { first_.fill(unset); }

  Value& operator[](int cores) {
    const auto c = static_cast<std::size_t>(cores);
    return c < first_.size() ? first_[c] : c < near_.size() ? near_[c] : another(c);
  }

  void clear() {
    first_.fill(unset_);
    near_.clear();
    far_.clear();
  }

 private:
  static constexpr std::size_t small = 64;

  [[gnu::noinline]] Value& another(std::size_t c) {  // not inline, so that existing values are found inline
    if (c >= small && c > near_.size()) return far_.try_emplace(c, unset_).first->second;
    near_.resize(c + c / 2, unset_);
    return near_[c];
  }

  Value unset_;
  std::array<Value, 12> first_;
  std::vector<Value> near_;
  std::map<std::size_t, Value> far_;
};

}  // namespace weir
