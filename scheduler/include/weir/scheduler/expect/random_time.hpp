#pragma once

namespace [[gnu::visibility("default")]] weir {

// A random time by its mean, variance and third central moment, in seconds and their powers. Plain data. All three are
// cumulants, so those of independent times add up.
struct random_time {
  double mean = 0, variance = 0, third = 0;  // seconds, their square, their cube

  // The sum with a time that is independent of this one.
  random_time& operator+=(const random_time& other);

  // The sum of `number` independent ones; with a fraction the same in proportion.
  random_time times(double number) const { return {number * mean, number * variance, number * third}; }

  // The sum of a random number of independent ones: at least one, and after each another with the same probability, so
  // that there are `number` on average. With a number of 1 or less it is times(number).
  random_time repeated(double number) const;

  // The seconds that the time does not exceed with probability `part`, by the Pearson type III distribution (a shifted
  // gamma distribution) with these moments. Exact for exponential and constant times. Infinite where a moment is, NaN
  // where one is. REQUIRES: 0 < part < 1.
  double quantile(double part) const;
};

// A service of a squared coefficient of variation `variation`, as a gamma distribution.
random_time service_time(double mean, double variation);

// A wait that is 0 but with some probability, and exponential then.
random_time wait_time(double mean, double probability);

// Collects the moments of a time that is one of several, each with its probability. A value.
class time_mixture {
 public:
  // One more of the times. REQUIRES: all probabilities together are at most 1.
  void add(double probability, const random_time& one);
  // With the probability that is left the time is 0.
  random_time result() const;

 private:
  double first_ = 0, second_ = 0, third_ = 0;  // raw
};

}  // namespace weir
