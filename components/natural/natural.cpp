#include "components/natural/natural.hpp"

#include <bit>

namespace components {

natural::natural(std::vector<std::uint64_t> limbs) : limbs_(std::move(limbs)) {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

std::size_t natural::bits() const {
  return limbs_.empty() ? 0 : 64 * (limbs_.size() - 1) + static_cast<std::size_t>(std::bit_width(limbs_.back()));
}

}  // namespace components
