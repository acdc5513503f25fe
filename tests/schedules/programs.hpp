#pragma once

#include <functional>
#include <string>
#include <vector>

namespace weir::testing {

// A small program that uses the runtime. It throws when something is not as it must be.
struct schedule_program {
  std::string name;
  std::function<void()> run;
  // Virtual: more than it ever needs. A wake-up that is lost and made up for by some timer (100 ms or more) exceeds it.
  double seconds = 0.09;
};

std::vector<schedule_program> schedule_programs();

}  // namespace weir::testing
