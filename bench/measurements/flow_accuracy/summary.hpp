#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/measurements/flow_accuracy/comparison.hpp"

namespace weir::flow_accuracy {

// How predictions of one kind did. Plain data; NaN where there is nothing.
struct summary {
  std::size_t rows = 0;
  double median = 0, p5 = 0, p95 = 0;  // of the error, percent
  double median_absolute = 0;          // the same without its sign
  double within = 0;                   // part of the rows with an error of no more than 10 %
  double bounded = 0;                  // part of the rows in which no more was seen than predicted
  double r_squared = 0;                // of seen by predicted: 1 - residual over total sum of squares
};
summary summary_of(const std::vector<comparison>& rows);

// Rows of text, one for each range of errors: range, number, a bar.
std::string histogram(const std::vector<comparison>& rows);

}  // namespace weir::flow_accuracy
