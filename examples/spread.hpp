#pragma once

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <ostream>
#include <vector>

namespace examples {

// The median, least and most of some values, of which there is at least one.
struct spread {
  explicit spread(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    least = values.front();
    most = values.back();
    median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  }
  double least, median, most;
};

inline std::ostream& operator<<(std::ostream& to, const spread& s) {
  constexpr int width = 12;
  return to << std::setw(width) << s.median << std::setw(width) << s.least << std::setw(width) << s.most;
}

}  // namespace examples
