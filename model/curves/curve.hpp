#pragma once

#include <optional>

#include "model/curves/loess.hpp"
#include "model/curves/natural_spline.hpp"
#include "model/curves/orthogonal_polynomials.hpp"
#include "model/curves/series.hpp"
#include "model/curves/straight_polynomial.hpp"

namespace weir {

// The ways to draw a curve through points that Lobachev & Loogen compare.
enum class curve_kind { best_two, spline, loess, lm, poly };

// One way, or two whose mean is taken.
struct curve_choice {
  curve_kind first = curve_kind::lm;
  curve_kind second = curve_kind::lm;  // the same as `first` where there is one
};

// What best_two means for these points: the two ways with the least leave-one-out error, which is the weighted mean
// over the points of |y - the curve drawn without that point|. Since lm and poly are one polynomial, but for rounding,
// the two are chosen from spline, loess and poly. With fewer than three points all of them agree and lm is taken. Other
// kinds are their own choice. Takes O(n^2). REQUIRES: a finished series of at least one point.
curve_choice choose_curves(const series& points, curve_kind kind, int degree);

// A curve through a series, by a choice, the polynomials of the given degree. Refers to the series, which must outlive
// it; never allocates; const calls may run concurrently. REQUIRES: a finished series of at least one point.
class curve {
 public:
  curve(const series& points, curve_choice choice, int degree);
  curve(const curve&) = delete;
  curve& operator=(const curve&) = delete;

  double operator()(double x) const;  // finite

  // One standard deviation of an observation about the curve, in the unit of y. As a prior, one observation that lies
  // off by scatter::prior of the mean size of y is counted in. A spline leaves no residual at its own points.
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
