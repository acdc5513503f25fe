#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/measurements/sizes/row.hpp"

namespace weir::sizes {

// A measurement, run once in this process. Throws std::runtime_error if an answer is wrong.
struct measurement {
  std::string name;
  std::vector<std::int64_t> sizes;
  std::vector<row> (*run)(std::int64_t size);
};

extern const std::vector<measurement> measurements;

}  // namespace weir::sizes
