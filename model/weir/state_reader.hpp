#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace weir {

// Splits the numbers of a state into parts.
class state_reader {
 public:
  explicit state_reader(std::span<const double> numbers) : rest_(numbers) {}

  // Returns zeros when fewer than Count numbers are left.
  template <std::size_t Count>
  std::span<const double, Count> take() {
    static constexpr std::array<double, Count> none{};
    if (rest_.size() < Count) {
      rest_ = {};
      short_ = true;
      return none;
    }
    const auto out = rest_.first<Count>();
    rest_ = rest_.subspan(Count);
    return out;
  }
  std::span<const double> rest() const { return rest_; }
  bool is_short() const { return short_; }

 private:
  std::span<const double> rest_;
  bool short_ = false;
};

}  // namespace weir
