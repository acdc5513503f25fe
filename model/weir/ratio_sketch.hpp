#pragma once

#include <array>
#include <span>

namespace weir {

// How many times as long as expected invocations took, in constant space: 128 counts by the logarithm of the ratio, 16
// an octave, from 0.35 to 90. Ratios outside of these count at the ends. Plain data.
//
// The n-th observation has the weight n, up to the 128th: early ones were compared with a law that was still wrong.
// From there on each weighs 1/1024 more than the one before, so that earlier ones are forgotten.
//
// The largest ratios are taken to follow Pareto's law, beyond the lowest threshold at which the data allow that. The
// exponent is Hill's (de Haan and Ferreira, Extreme Value Theory, 2006, section 3.2), and quantiles beyond the
// threshold are Weissman's (section 4.3 there). So a half of the observations may tell the 99th percentile where a
// hundredth would without the law. The data allow a threshold if two tests of the log excesses over it, which are
// exponential then, pass: that of Lilliefors (J. Am. Stat. Assoc. 64, 1969), and one of their coefficient of variation,
// by Greenwood's statistic (Moran, J. R. Stat. Soc. B 9, 1947). Other quantiles are those of the counts.
//
// Four observations are assumed in addition, which scatter normally in the logarithm, as the law says that times do.
class ratio_sketch {
 public:
  // Takes in log(time / expected). Some nanoseconds.
  void add(double log_ratio);

  // Takes the last observations out again, where a change of the cost explains them.
  void take_out(double log_ratio);

  // The logarithm of the ratio that a part of the invocations stays below. `scatter`: one standard deviation of the
  // logarithm, by the law. Some microseconds. REQUIRES: 0 < part < 1, scatter >= 0.
  double log_quantile(double part, double scatter) const;

  // The mean of the ratio, one standard deviation of it, and of how many equal observations these are. Plain data.
  struct ratio_moments {
    double mean = 1, deviation = 0, count = 0;
  };
  // With the assumed observations, which have the mean 1 and scatter by `scatter`. REQUIRES: scatter >= 0.
  ratio_moments moments(double scatter) const;

  // Everything as numbers, and back. assign() returns false and changes nothing unless numbers() can have given them.
  static constexpr int bins = 128, size = bins + 3;
  std::array<double, size> numbers() const;
  bool assign(std::span<const double, size> numbers);

 private:
  std::array<float, bins> mass_{};
  float seen_ = 0;     // observations, as far as they count for the weight
  float weight_ = 0;   // of the last one
  float squares_ = 0;  // sum of the squared weights
};

}  // namespace weir
