#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace components {

// A natural number of any size: limbs of 64 bits, the least significant first, as GMP keeps them. A value, without
// arithmetic of its own. Safe to read from many threads at once.
//
// The last limb is never zero; zero has no limbs. So equal numbers have equal limbs.
class natural {
 public:
  natural() = default;  // 0

  // Takes zeros at the end off.
  explicit natural(std::vector<std::uint64_t> limbs);

  const std::vector<std::uint64_t>& limbs() const { return limbs_; }
  std::size_t size() const { return limbs_.size(); }

  // The position of the highest bit that is set, from 1; 0 for zero.
  std::size_t bits() const;

  bool operator==(const natural&) const = default;

 private:
  std::vector<std::uint64_t> limbs_;
};

}  // namespace components
