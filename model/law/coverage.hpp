#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <weir/model/observation.hpp>
#include <weir/model/prediction.hpp>
#include "model/law/component_law.hpp"

namespace weir {

// The times of usable observations, seconds, as in is_usable().
inline constexpr double shortest_usable = 1e-12, longest_usable = 1e12;

// Whether it can be a mean of such times, but for rounding.
inline bool is_mean_time(double seconds) {
  constexpr double rounding = 1e-9;
  return seconds >= shortest_usable * (1 - rounding) && seconds <= longest_usable * (1 + rounding);
}

// How many observations a model has, and their ranges of x and p. Models without a covariance of their own use it to
// tell how far a question lies from what was seen. Plain data; const calls may run concurrently.
struct coverage {
  std::uint64_t observations = 0;
  int smallest_cores = 0, largest_cores = 0;  // p; 0 before the first observation
  double smallest_x = 0, largest_x = 0;

  void add(const observation& seen) {
    const bool first = observations++ == 0;
    smallest_cores = first ? seen.cores : std::min(smallest_cores, seen.cores);
    largest_cores = std::max(largest_cores, seen.cores);
    smallest_x = first ? seen.x : std::min(smallest_x, seen.x);
    largest_x = std::max(largest_x, seen.x);
  }

  bool holds(double x, int cores) const {
    return x >= smallest_x && x <= largest_x && cores >= smallest_cores && cores <= largest_cores;
  }

  // In [0, 1]: n / (n + parameters), reduced by two factors. One is the ratio by which p lies outside its range, the
  // other the same ratio for x.
  double confidence(double x, int cores, int parameters) const {
    const double n = static_cast<double>(observations);
    const auto within = [](double value, double low, double high) {
      return value < low ? value / low : value > high ? high / value : 1.0;
    };
    return n / (n + parameters) * within(cores, smallest_cores, largest_cores) * within(x, smallest_x, largest_x);
  }

  static constexpr std::size_t size = 5;
  std::vector<double> numbers() const {
    return {static_cast<double>(observations), static_cast<double>(smallest_cores), static_cast<double>(largest_cores),
            smallest_x, largest_x};
  }

  // The inverse of numbers(). Returns false and changes nothing where numbers() cannot have given these. REQUIRES:
  // `size` numbers.
  bool assign(std::span<const double> from) {
    const auto whole = [](double v, double low, double high) { return v >= low && v <= high && v == std::floor(v); };
    constexpr double most = std::numeric_limits<int>::max();
    const bool some = from[0] > 0;
    const bool fits = whole(from[0], 0, 0x1p53) && whole(from[1], some, some ? most : 0) &&
                      whole(from[2], from[1], some ? most : 0) && from[3] >= 0 && from[4] >= from[3] &&
                      std::isfinite(from[4]) && (some || from[4] == 0);
    if (!fits) return false;
    observations = static_cast<std::uint64_t>(from[0]);
    smallest_cores = static_cast<int>(from[1]);
    largest_cores = static_cast<int>(from[2]);
    smallest_x = from[3];
    largest_x = from[4];
    return true;
  }
};

// The answer before the first observation.
inline prediction nothing_known() {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  return {.mean = unknown,
          .spread = unknown,
          .alpha = optimistic_alpha,
          .sequential = unknown,
          .confidence = 0,
          .extrapolates = true};
}

// Whether an estimator may predict this after an observation.
inline bool is_sound(const prediction& p) {
  constexpr double most = std::numeric_limits<double>::max();
  const auto within = [](double value, double high) { return value >= 0 && value <= high; };  // not NaN
  return within(p.mean, most) && within(p.spread, most) && within(p.alpha, 1) && within(p.sequential, most) &&
         within(p.confidence, 1);
}

// Whether predictions are sound inside what was seen, and far from it: predict(x, cores).
template <typename Predict>
bool is_sound_everywhere(const Predict& predict, const coverage& all) {
  for (const double x : {0.0, all.smallest_x, all.largest_x, std::numeric_limits<double>::max()})
    for (const int cores : {1, all.smallest_cores, all.largest_cores, std::numeric_limits<int>::max()})
      if (!is_sound(predict(x, cores))) return false;
  return true;
}

// Clamps x to a finite number of 0 or more; NaN becomes 0.
inline double usable_x(double x) { return x > 0 ? std::min(x, std::numeric_limits<double>::max()) : 0.0; }

}  // namespace weir
