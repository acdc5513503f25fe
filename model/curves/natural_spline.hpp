#pragma once

#include <array>

#include "model/curves/series.hpp"

namespace weir {

// The natural cubic spline through every point of a series: it interpolates rather than smooths, so that a point's mean
// is taken at its word and weights do not count. Beyond the outermost points it goes on as a straight line, with the
// slope it has there, since its second derivative is zero there. One point makes a constant, two a line.
//
// (W. H. Press et al., "Numerical Recipes", section 3.3.) Refers to the series, which must outlive it; never allocates;
// const calls may run concurrently. REQUIRES: a finished series of at least one point.
class natural_spline {
 public:
  explicit natural_spline(const series& points);
  double operator()(double u) const;

 private:
  double slope_left_of(int i) const;   // at point i, of the piece that ends there
  double slope_right_of(int i) const;  // at point i, of the piece that begins there

  const series* points_;
  std::array<double, series::capacity> bend_;  // second derivatives at the points
};

}  // namespace weir
