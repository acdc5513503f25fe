#include "model/curves/curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "model/law/scatter.hpp"

namespace weir {
namespace {

// The weighted mean of |off(i)|, where off(i) is y minus the curve drawn without point i.
template <typename Off>
double leave_one_out(const series& points, Off off) {
  double sum = 0, total = 0;
  for (int i = 0; i < points.size(); ++i) {
    sum += points.weights()[i] * std::abs(off(i));
    total += points.weights()[i];
  }
  return sum / total;
}

template <typename Curve>
double redrawn(const series& points) {
  return leave_one_out(points, [&](int i) {
    const series rest = points.without(i);
    return points.y()[i] - Curve(rest)(points.u()[i]);
  });
}

// The left-out residual is (y - yhat) / (1 - leverage), so no polynomial needs to be refitted.
double polynomial_left_out(const series& points, int degree) {
  const auto u = points.u(), y = points.y(), w = points.weights();
  const auto all = fit_orthogonal_polynomials(u, y, w, degree);
  return leave_one_out(points,
                       [&](int i) { return (y[i] - all(u[i])) / std::max(1 - all.leverage(u[i], w[i]), 1e-9); });
}

}  // namespace

curve_choice choose_curves(const series& points, curve_kind kind, int degree) {
  if (kind != curve_kind::best_two) return {kind, kind};
  if (points.size() < 3) return {};
  // A polynomial with as many coefficients as points says nothing about a left-out point, so the comparison uses a
  // lower degree. Among equal errors the smoother way comes first.
  const std::array kinds{curve_kind::poly, curve_kind::loess, curve_kind::spline};
  const std::array errors{polynomial_left_out(points, std::min(degree, points.size() - 2)), redrawn<loess>(points),
                          redrawn<natural_spline>(points)};
  std::array order{0, 1, 2};
  std::ranges::sort(order, {}, [&](int i) { return std::pair(errors[i], i); });
  return {kinds[order[0]], kinds[order[1]]};
}

curve::curve(const series& points, curve_choice choice, int degree)
    : points_(&points), choice_(choice), degree_(degree) {
  for (const curve_kind kind : {choice.first, choice.second}) {
    if (kind == curve_kind::spline && !spline_) spline_.emplace(points);
    if (kind == curve_kind::loess && !loess_) loess_.emplace(points);
    if (kind == curve_kind::lm && !lm_) lm_ = fit_straight_polynomial(points, degree);
    if (kind == curve_kind::poly && !poly_)
      poly_ = fit_orthogonal_polynomials(points.u(), points.y(), points.weights(), degree);
  }
}

double curve::drawn(curve_kind kind, double u) const {
  switch (kind) {
    case curve_kind::spline:
      return (*spline_)(u);
    case curve_kind::loess:
      return (*loess_)(u);
    case curve_kind::poly:
      return (*poly_)(u);
    default:
      return (*lm_)(u);
  }
}

double curve::operator()(double x) const {
  const double u = points_->scaled(x), first = drawn(choice_.first, u);
  return choice_.second == choice_.first ? first : (first + drawn(choice_.second, u)) / 2;
}

double curve::deviation() const {
  double square = 0, size = 0, total = 0;
  for (int i = 0; i < points_->size(); ++i) {
    const double w = points_->weights()[i], y = points_->y()[i], u = points_->u()[i];
    const double first = drawn(choice_.first, u);
    const double off = y - (choice_.second == choice_.first ? first : (first + drawn(choice_.second, u)) / 2);
    square += w * off * off;
    size += w * std::abs(y);
    total += w;
  }
  const double assumed = scatter::prior * size / total;
  return std::sqrt((square + assumed * assumed) / (std::max(total - degree_ - 1, 0.0) + 1));
}

}  // namespace weir
