#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace weir {

// A value for some numbers of cores, made where it is first asked for. Small numbers lie side by side; the few large
// ones that are looked at on large machines do not make room for all below them. Not thread-safe.
template <typename Value>
class by_cores {
 public:
  Value& operator[](int cores) {
    const auto c = static_cast<std::size_t>(cores);
    if (c >= near_numbers) return far_[cores];
    if (near_.size() <= c) near_.resize(c < 8 ? 8 : c < 32 ? 32 : near_numbers);
    return near_[c];
  }

  void clear() {
    near_.clear();
    far_.clear();
  }

 private:
  static constexpr std::size_t near_numbers = 130;

  std::vector<Value> near_;
  std::map<int, Value> far_;  // references stay valid
};

}  // namespace weir
