#pragma once

#include <vector>

namespace weir::command {

// The value at part q in [0, 1] of the sorted values, between two of them by proportion; NaN without values.
double quantile(std::vector<double> values, double q);

// The same of values that are sorted already. REQUIRES: they are.
double sorted_quantile(const std::vector<double>& values, double q);

}  // namespace weir::command
