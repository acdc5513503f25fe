#include "tests/soak/memory.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace weir::testing {
namespace {

constexpr double most_growth = 0.05, most_bytes = 8e6;  // of the last quarter over the second

double median(std::vector<double> of) {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::nth_element(of.begin(), middle, of.end());
  return *middle;
}

}  // namespace

memory_use memory_now() {
  memory_use now;
  malloc_trim(0);
  double size = 0;
  std::ifstream("/proc/self/statm") >> size >> now.resident;
  now.resident *= static_cast<double>(sysconf(_SC_PAGESIZE));
  const struct mallinfo2 heap = mallinfo2();
  now.in_use = static_cast<double>(heap.uordblks) + static_cast<double>(heap.hblkhd);
  return now;
}

flatness flatness_of(const std::vector<double>& samples) {
  flatness f;
  const std::size_t warm_up = std::max<std::size_t>(10, samples.size() / 10);
  if (samples.size() < warm_up + 20) return f;
  f.is_judged = true;
  const std::size_t rest = samples.size() - warm_up;
  const auto at = [&](std::size_t quarter) {
    return samples.begin() + static_cast<std::ptrdiff_t>(warm_up + quarter * rest / 4);
  };
  for (std::size_t q = 0; q < 4; ++q) f.quarters[q] = median({at(q), at(q + 1)});
  f.is_flat = f.quarters[3] <= f.quarters[1] * (1 + most_growth) + most_bytes;
  return f;
}

std::string to_string(const flatness& f) {
  if (!f.is_judged) return "not judged, the run is too short";
  std::array<char, 100> text;
  std::snprintf(text.data(), text.size(), "%.1f, %.1f, %.1f, %.1f MB: %s", f.quarters[0] / 1e6, f.quarters[1] / 1e6,
                f.quarters[2] / 1e6, f.quarters[3] / 1e6, f.is_flat ? "flat" : "it grows");
  return text.data();
}

}  // namespace weir::testing
