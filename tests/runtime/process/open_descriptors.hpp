#pragma once

#include <filesystem>

#include "tests/support/eventually.hpp"

namespace weir::testing {

// How many descriptors this process has open, with the one that this takes to find out.
inline int open_descriptors() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) count += !entry.path().empty();
  return count;
}

// Whether no more are open than before a run. The thread that watches the machine reads its files beyond the end of a
// run, so others may be open for a moment.
inline bool are_no_more_open(int before) {
  return eventually([&] { return open_descriptors() <= before; });
}

}  // namespace weir::testing
