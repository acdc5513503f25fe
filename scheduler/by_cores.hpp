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
    if (c >= small && c > near_.size()) return far_[cores];
    if (c >= near_.size()) near_.resize(c < 8 ? 8 : 2 * c);
    return near_[c];
  }

  void clear() {
    near_.clear();
    far_.clear();
  }

 private:
  static constexpr std::size_t small = 64;

  std::vector<Value> near_;
  std::map<int, Value> far_;
};

}  // namespace weir
