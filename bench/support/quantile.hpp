#pragma once

#include <vector>

namespace weir::program {

// The q-quantile of the values, q in [0, 1], interpolated linearly between neighbours; NaN without values.
double quantile(std::vector<double> values, double q);

// The same for values that are already sorted. REQUIRES: values sorted.
double sorted_quantile(const std::vector<double>& values, double q);

}  // namespace weir::program
