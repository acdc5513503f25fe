#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace weir {

// The parallel share assumed until two different numbers of cores were seen. It is optimistic on purpose. A component
// that seems to gain from cores is given more of them, which corrects the assumption; a pessimistic one would never be
// corrected.
inline constexpr double optimistic_alpha = 0.98;

// x * 2^power, the same as std::ldexp, which is a call to the library.
inline double times_power_of_two(double x, int power) {
  constexpr int least = -1022, most = 1023;  // of the powers that are normal numbers
  if (power < least || power > most) return std::ldexp(x, power);
  return x * std::bit_cast<double>(static_cast<std::uint64_t>(power + most) << 52);
}

// How a law depends on the number of cores. Each of the later two has one term more than the first.
enum class family {
  amdahl,      // extended Amdahl: a share of the work is divided by p
  fork_join,   // and each further core costs a fixed time
  contention,  // or a share of the work: the Universal Scalability Law
};

// The cost of one invocation in seconds: a polynomial in the predictor value, times a curve in the number of cores,
// plus a cost for starting and joining threads.
//
//   T(x, p) = Tseq(x) * h(p) + d (p - 1);
//   Tseq(x) = sum_i c[i] * u^i,   u = x / 2^exponent
//   h(p) = alpha / p + (1 - alpha) + contention (p - 1).
//
// With contention and d zero it is the extended Amdahl law (Verstraaten & Scholz, "On Predicting the Impact of Resource
// Redistributions in Streaming Applications", section 3). The contention term is the coherency term of Gunther's
// Universal Scalability Law ("Guerrilla Capacity Planning", 2007), written for times. Gunther's law has the speedup
// C(p) = p / (1 + s (p - 1) + k p (p - 1)). Hence T(1) / C(p) = T(1) ((1 - s) / p + s + k (p - 1)), so alpha = 1 - s
// and contention = k.
//
// Plain data; every result is finite and not negative.
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

  // The u of an x, not negative; 0 where x is NaN.
  double scaled(double x) const { return std::min(times_power_of_two(std::max(0.0, x), -exponent), largest_scaled_x); }

  // The coefficient of x^i; c[i] is the coefficient of u^i.
  double coefficient(int i) const { return std::ldexp(c[i], -exponent * i); }

  // h(p), the cost on p cores relative to the cost on one. `inverse_cores` is 1/p.
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
