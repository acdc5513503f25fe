#include "model/curves/loess.hpp"

#include <algorithm>
#include <cmath>

#include "model/least_squares/least_squares.hpp"

namespace weir {

double loess::operator()(double u) const {
  const auto points = points_->u();
  const double inside = std::clamp(u, points.front(), points.back());
  const tangent there = at(inside);
  return there.value + (u - inside) * there.slope;
}

loess::tangent loess::at(double u) const {
  constexpr int local_degree = 2;
  constexpr double least_fall = 1e-6;  // a point of less weighs nothing
  const auto points = points_->u(), y = points_->y(), weights = points_->weights();
  const int n = points_->size();
  const int nearest = std::clamp(static_cast<int>(std::ceil(span * n)), std::min(n, local_degree + 2), n);

  // The nearest points are neighbours in the series: start at the closest and repeatedly add the closer of the two
  // ends.
  int first = static_cast<int>(std::lower_bound(points.begin(), points.end(), u) - points.begin()), end = first;
  while (end - first < nearest) {
    const bool has_left = first > 0, has_right = end < n;
    if (has_left && (!has_right || u - points[first - 1] <= points[end] - u))
      --first;
    else
      ++end;
  }
  const double farthest = std::max(std::abs(points[first] - u), std::abs(points[end - 1] - u));
  if (!(farthest > 0)) return {y[first], 0};
  const auto falls_at = [](double distance) { return 1 - distance * distance * distance; };
  double closest = farthest;
  for (int i = first; i < end; ++i) closest = std::min(closest, std::abs(points[i] - u));
  // The farthest must keep some weight where it is needed too: among at most three points, and where all are as far.
  const bool needs_farthest = n <= local_degree + 1 || falls_at(closest / farthest) < least_fall;
  const double h = needs_farthest ? 2 * farthest : farthest;

  std::array<double, 3 * series::capacity> powers;
  std::array<double, series::capacity> local_y, local_w;
  std::size_t used = 0;
  for (int i = first; i < end; ++i) {
    const double falls = falls_at(std::abs(points[i] - u) / h);
    if (falls < least_fall) continue;
    local_y[used] = y[i];
    local_w[used] = weights[i] * falls * falls * falls;
    powers[used++] = (points[i] - u) / h;
  }
  const std::size_t columns = std::min<std::size_t>(used, local_degree + 1);
  std::array<double, series::capacity> offset;
  std::copy_n(powers.begin(), used, offset.begin());
  std::fill_n(powers.begin(), used, 1.0);
  for (std::size_t i = used; i < used * columns; ++i) powers[i] = powers[i - used] * offset[i % used];
  const auto local =
      solve_least_squares({powers.data(), used * columns}, {local_y.data(), used}, {local_w.data(), used});
  return {local.coefficients[0], local.coefficients[1] / h};
}

}  // namespace weir
