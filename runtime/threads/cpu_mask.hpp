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

// The processing units that the calling thread may use; empty: the system does not tell. Inline, for the libraries next
// to weir. Throws std::bad_alloc.
inline std::vector<int> permitted_units() {
  constexpr std::size_t most_units = 65536;  // Linux can have no more
  std::vector<cpu_set_t> permitted(most_units / CPU_SETSIZE);
  const std::size_t bytes = permitted.size() * sizeof(cpu_set_t);
  std::vector<int> units;
  if (sched_getaffinity(0, bytes, permitted.data()) != 0) return units;
  for (std::size_t unit = 0; unit < most_units; ++unit)
    if (CPU_ISSET_S(unit, bytes, permitted.data())) units.push_back(static_cast<int>(unit));
  return units;
}

}  // namespace weir::detail
