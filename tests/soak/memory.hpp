#pragma once

#include <array>
#include <string>
#include <vector>

// What the process uses of memory, and whether that stays the same.
namespace weir::testing {

struct memory_use {
  double resident = 0;  // bytes, from /proc/self/statm
  double in_use = 0;    // bytes that malloc gave out, from mallinfo2
};
// After malloc has given back what it keeps of freed memory.
memory_use memory_now();

// One series of samples, a second apart, oldest first.
struct flatness {
  std::array<double, 4> quarters{};  // the median of each quarter of what follows the warm-up; bytes
  bool is_judged = false;            // there are enough samples
  bool is_flat = true;
};

// The warm-up is a tenth of the samples, ten at least; five a quarter are needed behind it. Flat: the median of the
// last quarter is at most 5 % and 8 MB above that of the second. Medians, since what is in use at a moment depends on
// which networks run; 5 %, since they do, too; and 8 MB for what is kept by design: errors that are collected, the
// shapes of records that came, freed blocks in the arenas of malloc and the pools of threads.
flatness flatness_of(const std::vector<double>& samples);

std::string to_string(const flatness& f);  // "12.1, 12.2, 12.2, 12.3 MB: flat"

}  // namespace weir::testing
