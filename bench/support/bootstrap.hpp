#pragma once

#include <vector>

namespace weir::command {

// A median and how well it is known: an interval that holds the true one in 95 of 100 such measurements.
struct median_interval {
  double median = 0, low = 0, high = 0;
};

// The percentile bootstrap (B. Efron, Bootstrap methods: another look at the jackknife, 1979): 10,000 times as many
// values as there are are drawn from them, with replacement; the interval lies between the 2.5th and the 97.5th
// percentile of the medians. From a fixed seed: the same values give the same interval on every machine. Of fewer than
// six values the median is one of few, and the interval close to their minimum and maximum. One value has no interval:
// low and high are NaN. All are NaN without values.
median_interval bootstrap_median(const std::vector<double>& values);

}  // namespace weir::command
