#pragma once

#include <string>

namespace [[gnu::visibility("default")]] weir {

// A kind of cores, such as the performance and the efficiency cores of one processor. Plain data.
struct core_kind {
  std::string name;  // "P" and "E" where there are two; empty where all cores are alike
  double speed = 1;  // work a second over that of the fastest kind, as the machine says it; 1 if it does not
};

}  // namespace weir
