#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace weir {

// A table of times seen at inputs that come again. It serves where a law misses more than times of equal inputs differ.
// Examples are kinds of work that are only numbered by x, and a few sizes on a machine that repeats to half a percent.
//
// Each of the 64 entries belongs to one key. It keeps the mean y of log t there and n, how many observations the mean
// is made of; from 32 on it forgets. A new key replaces the weakest of the four entries where it may lie, once that one
// has been weakened to one observation. So keys that never come again do not displace others.
//
// Let m = y - log T, T the law's time, v the variance at equal keys and s^2 the mean of m^2 - v / n: the variance of
// the law's error. Both are followed with every observation at a known key. An entry's factor on the law is
//
//   exp(m s^2 / (s^2 + v / n)),
//
// as in x_correction. Where s^2 is not clearly above its error, or few keys come again, the factor is 1. Plain data;
// const calls may run concurrently.
class repeats {
 public:
  static constexpr int places = 64;

  // The logarithm of the factor at a key for which the law says log_law = log T; 0 where nothing is known.
  double log_factor(double x, int cores, double log_law) const {
    return is_known() ? shrunk(find(x, cores), log_law) : 0;
  }
  // Whether any factor differs from 1.
  bool is_known() const { return signal_ > 0; }
  // s^2, or 0 where no factor differs from 1.
  double signal() const { return signal_; }

  // Takes in the log t of an observation and what the law says. REQUIRES: finite numbers.
  void add(double x, int cores, double log_seconds, double log_law);

  // Makes each entry count for two observations at most.
  void weaken();

  // Makes the entries as if all times had been exp(log_factor) times as long.
  void scale_times(double log_factor) {
    for (entry& one : all_)
      if (one.cores >= 0) one.log_seconds += log_factor;
  }

  // Everything as numbers, and back. assign() returns false and changes nothing unless numbers() can have given them.
  static constexpr int size = 5 + 4 * places;
  std::array<double, size> numbers() const;
  bool assign(std::span<const double, size> numbers);

 private:
  struct entry {
    double x = 0, log_seconds = 0;
    int cores = -1;  // none
    float mass = 0;  // n
  };
  const entry* find(double x, int cores) const;
  double shrunk(const entry* at, double log_law) const;

  std::array<entry, places> all_{};
  double within_ = 0;   // v
  double between_ = 0;  // mean of m^2 - v / n
  double chance_ = 0;   // mean of v / n
  double seen_ = 0;     // observations at known keys
  double signal_ = 0;   // s^2, where it counts
};

}  // namespace weir
