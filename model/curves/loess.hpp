#pragma once

#include "model/curves/series.hpp"

namespace weir {

// Local regression (W. S. Cleveland, "Robust Locally Weighted Regression and Smoothing Scatterplots", JASA 74, 1979).
// It is R's loess() without the robustness iterations. The value at u is taken from a polynomial of degree 2, fitted to
// the points nearest to u. Their weights are w (1 - (d/h)^3)^3, which fall to zero at the distance h of the farthest of
// them.
//
// The nearest points are three quarters of all, but at least the local degree plus two. The local degree is lower where
// fewer points have weight: two points give a line, one gives a constant. Beyond the outermost points local weights
// mean nothing; there the curve continues as a straight line with the slope of its end.
//
// Refers to the series, which must outlive it. Never allocates. Const calls may run concurrently. REQUIRES: a finished
// series of at least one point.
class loess {
 public:
  static constexpr double span = 0.75;

  explicit loess(const series& points) : points_(&points) {}
  double operator()(double u) const;

 private:
  struct tangent {
    double value, slope;
  };
  tangent at(double u) const;

  const series* points_;
};

}  // namespace weir
