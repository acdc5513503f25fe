#pragma once

#include <array>

#include "model/curves/series.hpp"

namespace weir {

// The natural cubic spline through every point of a series (W. H. Press et al., "Numerical Recipes", section 3.3). It
// interpolates and does not smooth, so it takes each point's mean as exact and ignores weights. Beyond the outermost
// points it continues as a straight line with the slope of its end, since its second derivative is zero there. One
// point makes a constant; two make a line.
//
// Refers to the series, which must outlive it. Never allocates. Const calls may run concurrently. REQUIRES: a finished
// series of at least one point.
class natural_spline {
 public:
  explicit natural_spline(const series& points);
  double operator()(double u) const;

 private:
  double slope_left_of(int i) const;   // of the piece that ends at point i
  double slope_right_of(int i) const;  // of the piece that begins at point i

  const series* points_;
  std::array<double, series::capacity> bend_;  // second derivatives at the points
};

}  // namespace weir
