#pragma once

#include <optional>

#include "model/curves/loess.hpp"
#include "model/curves/natural_spline.hpp"
#include "model/curves/orthogonal_polynomials.hpp"
#include "model/curves/series.hpp"
#include "model/curves/straight_polynomial.hpp"

namespace weir {

// The ways to draw a curve through points, as Lobachev & Loogen compare them.
enum class curve_kind { best_two, spline, loess, lm, poly };

// One way of drawing a curve, or two ways whose mean is taken.
struct curve_choice {
  curve_kind first = curve_kind::lm;
  curve_kind second = curve_kind::lm;  // the same as `first` where there is one
};

// Resolves best_two for these points: the two ways with the least leave-one-out error. That error is the weighted mean
// over the points of |y - the curve drawn without that point|. Since lm and poly are the same polynomial up to
// rounding, the two are chosen from spline, loess and poly. With fewer than three points all ways agree, and lm is
// taken. Any other kind resolves to itself. Takes O(n^2). REQUIRES: a finished series of at least one point.
curve_choice choose_curves(const series& points, curve_kind kind, int degree);

// A curve through a series, drawn as `choice` says; polynomials have the given degree. Refers to the series, which must
// outlive it. Never allocates. Const calls may run concurrently. REQUIRES: a finished series of at least one point.
class curve {
 public:
  curve(const series& points, curve_choice choice, int degree);
  curve(const curve&) = delete;
  curve& operator=(const curve&) = delete;

  double operator()(double x) const;  // finite

  // One standard deviation of an observation about the curve, in the unit of y. As a prior, one extra observation
  // counts, whose deviation is scatter::prior times the mean size of y. A spline leaves no residual at its own points.
  double deviation() const;

 private:
  double drawn(curve_kind kind, double u) const;

  const series* points_;
  curve_choice choice_;
  int degree_;
  std::optional<natural_spline> spline_;
  std::optional<loess> loess_;
  std::optional<straight_polynomial> lm_;
  std::optional<orthogonal_polynomials> poly_;
};

}  // namespace weir
