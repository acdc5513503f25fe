#include "model/curves/natural_spline.hpp"

#include <algorithm>

namespace weir {

natural_spline::natural_spline(const series& points) : points_(&points) {
  const auto u = points.u(), y = points.y();
  const int n = points.size();
  std::array<double, series::capacity> eliminated;
  bend_[0] = eliminated[0] = 0;
  for (int i = 1; i < n - 1; ++i) {
    const double left = u[i] - u[i - 1], right = u[i + 1] - u[i];
    const double part = left / (left + right);
    const double pivot = part * bend_[i - 1] + 2;
    const double turn = (y[i + 1] - y[i]) / right - (y[i] - y[i - 1]) / left;
    bend_[i] = (part - 1) / pivot;
    eliminated[i] = (6 * turn / (left + right) - part * eliminated[i - 1]) / pivot;
  }
  bend_[n - 1] = 0;
  for (int i = n - 2; i > 0; --i) bend_[i] = bend_[i] * bend_[i + 1] + eliminated[i];
}

double natural_spline::slope_right_of(int i) const {
  const auto u = points_->u(), y = points_->y();
  const double h = u[i + 1] - u[i];
  return (y[i + 1] - y[i]) / h - h / 6 * (2 * bend_[i] + bend_[i + 1]);
}

double natural_spline::slope_left_of(int i) const {
  const auto u = points_->u(), y = points_->y();
  const double h = u[i] - u[i - 1];
  return (y[i] - y[i - 1]) / h + h / 6 * (bend_[i - 1] + 2 * bend_[i]);
}

double natural_spline::operator()(double at) const {
  const auto u = points_->u(), y = points_->y();
  const int n = points_->size();
  if (n == 1) return y[0];
  if (at <= u[0]) return y[0] + (at - u[0]) * slope_right_of(0);
  if (at >= u[n - 1]) return y[n - 1] + (at - u[n - 1]) * slope_left_of(n - 1);
  const int i = static_cast<int>(std::upper_bound(u.begin(), u.end(), at) - u.begin()) - 1;
  const double h = u[i + 1] - u[i], right = (at - u[i]) / h, left = 1 - right;
  return left * y[i] + right * y[i + 1] +
         h * h / 6 * (left * (left * left - 1) * bend_[i] + right * (right * right - 1) * bend_[i + 1]);
}

}  // namespace weir
