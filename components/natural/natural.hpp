#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace components {

// A natural number of any size: limbs of 64 bits, the least significant first, as in GMP. A value, without arithmetic
// of its own. Many threads may read it at the same time.
//
// The last limb is never zero; zero has no limbs. So equal numbers have equal limbs.
class natural {
 public:
  natural() = default;  // 0

  // Removes zeros at the end.
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
