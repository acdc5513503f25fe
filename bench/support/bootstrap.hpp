#pragma once

#include <string>
#include <vector>

namespace weir::program {

// A median and its uncertainty: the interval contains the true median in 95 of 100 such measurements.
struct median_interval {
  double median = 0, low = 0, high = 0;
};

// The percentile bootstrap (B. Efron, Bootstrap methods: another look at the jackknife, 1979). It draws 10,000
// resamples of as many values as given, with replacement. The interval lies between the 2.5th and the 97.5th percentile
// of their medians. The seed is fixed: the same values give the same interval on every machine. With fewer than six
// values a median has few possible values, and the interval is close to their minimum and maximum. One value has no
// interval: low and high are NaN. All are NaN without values.
median_interval bootstrap_median(const std::vector<double>& values);

// "1.80 [1.71 .. 1.92]"; of one value "1.80", of none "-".
std::string ratio_text(const median_interval& of);

}  // namespace weir::program
