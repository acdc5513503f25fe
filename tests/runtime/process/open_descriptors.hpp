#pragma once

#include <filesystem>

namespace weir::testing {

// How many descriptors this process has open, with the one that this takes to find out.
inline int open_descriptors() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) count += !entry.path().empty();
  return count;
}

}  // namespace weir::testing
