#pragma once

#include <array>
#include <string>
#include <vector>

// The process's use of memory, and whether that stays the same.
namespace weir::testing {

struct memory_use {
  double resident = 0;  // bytes, from /proc/self/statm
  double in_use = 0;    // bytes that malloc gave out, from mallinfo2
};
// Measured after malloc has returned the freed memory that it keeps.
memory_use memory_now();

// One series of samples, a second apart, oldest first.
struct flatness {
  std::array<double, 4> quarters{};  // the median of each quarter after the warm-up; bytes
  bool is_judged = false;            // there are enough samples
  bool is_flat = true;
};

// The warm-up is a tenth of the samples, at least ten; after it, five samples per quarter are needed. Flat: the median
// of the last quarter exceeds that of the second by at most 5 % and 8 MB. Medians and 5 % are used because the memory
// in use depends on the networks that run. The 8 MB allow for memory kept by design: collected errors, the shapes of
// seen records, freed blocks in malloc's arenas and the threads' pools.
flatness flatness_of(const std::vector<double>& samples);

std::string to_string(const flatness& f);  // "12.1, 12.2, 12.2, 12.3 MB: flat"

}  // namespace weir::testing
