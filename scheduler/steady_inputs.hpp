#pragma once

#include <cstddef>
#include <span>

namespace weir {

// How many of the last values, which come oldest first, still are what is coming: all of them, unless the last 8, 16,
// 32, .. differ in their mean by more than four standard errors (Welch's t, Biometrika 34, 1947) from as many before
// them; then the fewest for which that holds. Windows of exponentially growing size follow Bifet and Gavalda (Learning
// from Time-Changing Data with Adaptive Windowing, SDM 2007). Four: of a thousand looks at a steady stream about one
// finds a change, and that costs no more than a mean over few values until the next look.
//
// Logarithms are compared where all values are positive: what predictors count spans decades.
std::size_t steady_inputs(std::span<const double> values);

}  // namespace weir
