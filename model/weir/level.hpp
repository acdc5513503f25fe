#pragma once

#include "model/weir/ratio_sketch.hpp"

namespace weir {

// The mean of all times at one x, over the time of the law, in which late times count less. With one x nothing tells
// why times differ, so late ones are a part of the cost. Plain data.
struct level {
  double mean = 1;    // over the law's
  float scatter = 0;  // squared, of times about that mean and relative to it, beyond the law's
  float error = 0;    // squared standard error of the mean, relative to it, beyond the law's

  // By the ratios of times to the law, and the law's scatter. With d the difference of their mean from 1, and e its
  // standard error, the part d^2 / (d^2 + e^2) of d counts: what chance may explain counts less.
  static level of(const ratio_sketch& ratios, double law_scatter);
};

}  // namespace weir
