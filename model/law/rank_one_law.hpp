#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace weir {

// The parallel share assumed until two different numbers of cores were seen. Optimistic on purpose: a component that is
// believed to gain from cores gets a second number of cores and so corrects the belief; a pessimistic one never would.
inline constexpr double optimistic_alpha = 0.98;

// What a law says of more cores. Each has one term more than the first.
enum class family {
  amdahl,      // extended Amdahl: a share of the work is divided by p
  fork_join,   // and each further core costs a fixed time
  contention,  // or a share of the work: the Universal Scalability Law
};

// What an invocation costs: a polynomial in the predictor value times one curve in the number of cores, and what
// starting and joining threads costs.
//
//   T(x, p) = Tseq(x) * h(p) + d (p - 1),   Tseq(x) = sum_i c[i] * u^i,   u = x / 2^exponent
//   h(p) = alpha / p + (1 - alpha) + contention (p - 1)
//
// With contention and d zero it is the extended Amdahl law (Verstraaten & Scholz, "On Predicting the Impact of Resource
// Redistributions in Streaming Applications", section 3). The term in contention is the coherency term of Gunther's
// Universal Scalability Law ("Guerrilla Capacity Planning", 2007), written for times: with C(p) = p / (1 + s (p - 1) +
// k p (p - 1)) its T(1) / C(p) is T(1) ((1 - s) / p + s + k (p - 1)), so alpha = 1 - s and contention = k.
// Times are seconds. Plain data; every result is finite and not negative.
struct rank_one_law {
  static constexpr int max_degree = 8;
  // Beyond 1e30 times the largest x nothing is known; the bound keeps u^8 and its products finite.
  static constexpr double largest_scaled_x = 1e30;

  int degree = 0;
  int exponent = 0;
  double alpha = optimistic_alpha;
  double contention = 0;
  double fork_join = 0;  // d, seconds
  std::array<double, max_degree + 1> c{};

  // u, not negative; 0 for an x that is not a number.
  double scaled(double x) const { return std::min(std::ldexp(std::max(0.0, x), -exponent), largest_scaled_x); }

  // The coefficient of x^i, where c[i] is that of u^i.
  double coefficient(int i) const { return std::ldexp(c[i], -exponent * i); }

  // h(p), the cost on p cores as a fraction of the cost on one; inverse_cores is 1/p.
  double share(double inverse_cores) const {
    return alpha * inverse_cores + (1 - alpha) + contention * (1 / inverse_cores - 1);
  }

  double sequential(double x) const {
    const double u = scaled(x);
    double sum = 0;
    for (int i = degree; i >= 0; --i) sum = sum * u + c[i];
    return std::max(0.0, sum);
  }

  double operator()(double x, int cores) const {
    const double p = std::max(cores, 1);
    return sequential(x) * share(1 / p) + fork_join * (p - 1);
  }
};

}  // namespace weir
