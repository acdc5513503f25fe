#pragma once

#include <algorithm>
#include <cmath>

namespace weir {

// A robust scatter of residuals, some of which may be arbitrarily large. It tracks their median absolute value, one
// residual at a time in constant space. From it follows the standard deviation of normal residuals with that median.
// Plain data.
//
// A residual above the median moves it up by a factor, one below moves it down by the same factor (a stochastic
// approximation of the median: Robbins & Monro, Ann. Math. Statist. 22, 1951). The factor shrinks as residuals come, to
// a floor with which the median still follows a change within some hundred.
struct residual_scale {
  // Standard deviation of a normal variable over the median of its absolute value.
  static constexpr double normal = 1.4826;

  double median = 0.1 / normal;  // of |residual|; at first for a scatter of 10 %
  double seen = 0;

  void add(double residual) {
    constexpr double first_step = 0.5, last_step = 0.01, least = 1e-9;
    const double step = std::max(first_step / std::sqrt(1 + seen), last_step);
    median = std::max(median * std::exp(std::abs(residual) > median ? step : -step), least);
    ++seen;
  }

  double deviation() const { return normal * median; }
};

// The weight of an observation whose residual is `deviations` standard deviations (Huber, "Robust Statistics", section
// 7.8). It is 1 where normal noise explains the residual. Beyond the bound it falls so that each counts as much as one
// at the bound. The bound of 2 costs 1 % of efficiency where noise is normal: 5 % of the weights change, and only
// slightly.
inline double huber_weight(double deviations) {
  constexpr double bound = 2;
  const double size = std::abs(deviations);
  return size > bound ? bound / size : 1;
}

}  // namespace weir
