#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace weir {

// A value for some numbers of cores, made where it is first asked for. Small numbers, and those asked for one after
// another, lie side by side; a few large ones, as they are looked at on large machines, do not make room for all below
// them. Not thread-safe; a reference holds until the next number is asked for.
template <typename Value>
class by_cores {
 public:
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

  [[gnu::noinline]] Value& another(std::size_t c) {  // so that what is there already is found in line
    if (c >= small && c > near_.size()) return far_[c];
    near_.resize(c < 16 ? 16 : c + c / 2);
    return near_[c];
  }

  std::vector<Value> near_;
  std::map<std::size_t, Value> far_;
};

}  // namespace weir
