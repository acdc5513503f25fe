#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/measurements/flow_accuracy/comparison.hpp"

namespace weir::flow_accuracy {

// The errors of predictions of one kind. Plain data; NaN without rows.
struct summary {
  std::size_t rows = 0;
  double median = 0, p5 = 0, p95 = 0;  // of the error, percent
  double median_absolute = 0;          // the same for absolute values
  double within = 0;                   // part of the rows with an error of at most 10 %
  double bounded = 0;                  // part of the rows with at most as much seen as predicted
  double r_squared = 0;                // of seen by predicted: 1 - residual over total sum of squares
};
summary summary_of(const std::vector<comparison>& rows);

// Rows of text, one for each range of errors: range, number, a bar.
std::string histogram(const std::vector<comparison>& rows);

}  // namespace weir::flow_accuracy
