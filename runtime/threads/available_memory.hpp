#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace weir::detail {

// Available memory and swap, in bytes; the maximum of the type if /proc/meminfo lacks them. Inline, for the libraries
// next to weir.
inline std::uint64_t available_memory() {
  std::ifstream lines("/proc/meminfo");
  std::uint64_t kib = 0, all = 0;
  bool is_told = false;
  for (std::string name, unit; lines >> name >> kib; std::getline(lines, unit)) {
    if (name != "MemAvailable:" && name != "SwapFree:") continue;
    all += kib;
    is_told |= name == "MemAvailable:";
  }
  return is_told ? all << 10 : ~std::uint64_t{};
}

}  // namespace weir::detail
