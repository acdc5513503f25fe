#include "runtime/network/grant.hpp"

#include <sched.h>

#include <algorithm>

namespace weir {

bool grant::bind_this_thread() const {
  if (os_units_.empty()) return true;
  const auto largest = static_cast<std::size_t>(*std::max_element(os_units_.begin(), os_units_.end()));
  std::vector<cpu_set_t> wanted(largest / CPU_SETSIZE + 1), present(wanted.size());
  const std::size_t bytes = wanted.size() * sizeof(cpu_set_t);
  CPU_ZERO_S(bytes, wanted.data());
  CPU_ZERO_S(bytes, present.data());
  for (const int unit : os_units_) CPU_SET_S(static_cast<std::size_t>(unit), bytes, wanted.data());
  // Reads the mask first. Setting a mask that is set already would yield the core for a while, and a team of threads
  // waits for its slowest.
  if (sched_getaffinity(0, bytes, present.data()) == 0 && CPU_EQUAL_S(bytes, wanted.data(), present.data()))
    return true;
  return sched_setaffinity(0, bytes, wanted.data()) == 0;
}

}  // namespace weir
