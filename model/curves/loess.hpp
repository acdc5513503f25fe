#pragma once

#include "model/curves/series.hpp"

namespace weir {

// Local regression: the value at u is that of a polynomial of degree 2 fitted to the points nearest to u, with weights
// w (1 - (d/h)^3)^3 that fall to nothing at the distance h of the farthest of them (W. S. Cleveland, "Robust Locally
// Weighted Regression and Smoothing Scatterplots", JASA 74, 1979; R's loess(), without its robustness iterations).
//
// Nearest are three quarters of all points, and no fewer than the local degree and two. The local degree is lower
// where fewer points have weight: with two points a line, with one a constant. Beyond the outermost points, where the
// local weights mean nothing, the curve goes on as a straight line with the slope it has there.
//
// Refers to the series, which must outlive it; never allocates; const calls may run concurrently.
// REQUIRES: a finished series of at least one point.
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
