#pragma once

#include <array>

#include "model/curves/series.hpp"

namespace weir {

// A polynomial in u, fitted by weighted least squares on the powers of u. It is the kind "lm", which is R's
// lm(y ~ x + I(x^2) + ...). Plain data.
struct straight_polynomial {
  static constexpr int max_degree = 8;

  int degree = 0;
  std::array<double, max_degree + 1> c{};  // coefficients of u^i

  double operator()(double u) const {
    double sum = 0;
    for (int i = degree; i >= 0; --i) sum = sum * u + c[i];
    return sum;
  }
};

// Fits one. Where there are fewer points than coefficients, the degree is lowered to what the points determine. Never
// allocates; any thread may call it. REQUIRES: a finished series of at least one point, 0 <= degree <= max_degree.
straight_polynomial fit_straight_polynomial(const series& points, int degree);

}  // namespace weir
