#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace weir {

// The parallel share assumed until two different numbers of cores were seen. Optimistic on purpose: a component that is
// believed to gain from cores gets a second number of cores and so corrects the belief; a pessimistic one never would.
inline constexpr double optimistic_alpha = 0.98;

// The extended Amdahl law: time on p cores is a polynomial in the predictor value times one speedup curve,
//
//   T(x, p) = Tseq(x) * (alpha / p + 1 - alpha),   Tseq(x) = sum_i c[i] * u^i,   u = x / 2^exponent
//
// (Verstraaten & Scholz, "On Predicting the Impact of Resource Redistributions in Streaming Applications", section 3).
// With q0 = alpha and q1 = 1 - alpha it is the rank-one product (sum_i c_i u^i) (q0 / p + q1). Times are seconds.
// Plain data; every result is finite and not negative.
struct rank_one_law {
  static constexpr int max_degree = 8;
  // Beyond 1e30 times the largest x nothing is known; the bound keeps u^8 and its products finite.
  static constexpr double largest_scaled_x = 1e30;

  int degree = 0;
  int exponent = 0;
  double alpha = optimistic_alpha;
  std::array<double, max_degree + 1> c{};

  // u, not negative; 0 for an x that is not a number.
  double scaled(double x) const { return std::min(std::ldexp(std::max(0.0, x), -exponent), largest_scaled_x); }

  // The coefficient of x^i, where c[i] is that of u^i.
  double coefficient(int i) const { return std::ldexp(c[i], -exponent * i); }

  // The cost on p cores as a fraction of the cost on one; inverse_cores is 1/p.
  double share(double inverse_cores) const { return alpha * inverse_cores + (1 - alpha); }

  double sequential(double x) const {
    const double u = scaled(x);
    double sum = 0;
    for (int i = degree; i >= 0; --i) sum = sum * u + c[i];
    return std::max(0.0, sum);
  }

  double operator()(double x, int cores) const { return sequential(x) * share(1.0 / std::max(cores, 1)); }
};

}  // namespace weir
