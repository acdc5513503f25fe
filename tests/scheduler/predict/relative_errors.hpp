#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace weir::testing {

// Errors of predictions relative to the truth.
class relative_errors {
 public:
  void add(double predicted, double truth) { all_.push_back(std::abs(predicted / truth - 1)); }
  // The error that this part of them is below. REQUIRES: not empty, part < 1.
  double at(double part) const {
    std::vector<double> sorted = all_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size()))];
  }

 private:
  std::vector<double> all_;
};

}  // namespace weir::testing
