#pragma once

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weir::detail {

// Processing units by their numbers, as the system takes them: in as many sets as the largest number needs. REQUIRES:
// there is one. Inline, for the libraries next to weir. Throws std::bad_alloc.
inline std::vector<cpu_set_t> cpu_mask(const std::vector<int>& units) {
  const auto largest = static_cast<std::size_t>(*std::max_element(units.begin(), units.end()));
  std::vector<cpu_set_t> mask(largest / CPU_SETSIZE + 1);  // without any
  for (const int unit : units) CPU_SET_S(static_cast<std::size_t>(unit), mask.size() * sizeof(cpu_set_t), mask.data());
  return mask;
}

}  // namespace weir::detail
