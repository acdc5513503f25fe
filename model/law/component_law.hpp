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
  two_curves,  // the serial part is a curve of its own: its share depends on x
};

// The cost of one invocation in seconds. It is a curve in the predictor value times a curve in the number of cores. A
// serial part with a curve of its own and a cost for starting and joining threads may be added.
//
//   T(x, p) = Tseq(x) * h(p) + S(x) (1 - 1/p) + d (p - 1);
//   Tseq(x) = sum_i c[i] * u^i,   S(x) = sum_i serial[i] * u^i,   u = x / 2^exponent, or sqrt(x) / 2^exponent
//   h(p) = alpha / p + (1 - alpha) + contention (p - 1).
//
// With `roots`, u comes from the square root of x: then Tseq has half powers of x. S is zero unless two_curves; there
// alpha is 1, so T = (Tseq(x) - S(x)) / p + S(x).
//
// With contention and d zero it is the extended Amdahl law (Verstraaten & Scholz, "On Predicting the Impact of Resource
// Redistributions in Streaming Applications", section 3). The contention term is the coherency term of Gunther's
// Universal Scalability Law ("Guerrilla Capacity Planning", 2007), written for times. Gunther's law has the speedup
// C(p) = p / (1 + s (p - 1) + k p (p - 1)). Hence T(1) / C(p) = T(1) ((1 - s) / p + s + k (p - 1)), so alpha = 1 - s
// and contention = k.
//
// Plain data; every result is finite and not negative.
struct component_law {
  static constexpr int max_degree = 8;
  // Beyond 1e30 times the largest x nothing is known; the bound keeps u^8 and its products finite.
  static constexpr double largest_scaled_x = 1e30;

  int degree = 0;
  int exponent = 0;
  bool roots = false;
  bool two_curves = false;
  // With roots, 2 means that only c[0], c[2], c[4] and c[6] may be positive, those of 1, x, x^2 and x^3.
  int step = 1;
  double alpha = optimistic_alpha;
  double contention = 0;
  double fork_join = 0;  // d, seconds
  std::array<double, max_degree + 1> c{}, serial{};

  // The u of an x, not negative; 0 where x is NaN.
  double scaled(double x) const {
    x = std::max(0.0, x);
    return std::min(times_power_of_two(roots ? std::sqrt(x) : x, -exponent), largest_scaled_x);
  }

  // The coefficient of x^i, or of x^(i/2) with roots, of Tseq and of S; c[i] is the coefficient of u^i.
  double coefficient(int i) const { return std::ldexp(c[i], -exponent * i); }
  double serial_coefficient(int i) const { return std::ldexp(serial[i], -exponent * i); }

  // The number of columns, which are those of u^0, u^step, .., u^highest().
  int columns() const { return highest() / step + 1; }
  int highest() const { return step == 1 ? degree : std::min(degree, 6); }

  // h(p), the cost on p cores relative to the cost on one. `inverse_cores` is 1/p.
  double share(double inverse_cores) const {
    return alpha * inverse_cores + (1 - alpha) + contention * (1 / inverse_cores - 1);
  }

  double sequential(double x) const { return sum_of(c, x); }
  double serial_curve(double x) const { return two_curves ? sum_of(serial, x) : 0; }

  double at(double x, double inverse_cores) const {
    double seconds = sequential(x) * share(inverse_cores) + fork_join * (1 / inverse_cores - 1);
    if (two_curves) seconds += serial_curve(x) * (1 - inverse_cores);
    return seconds;
  }
  double operator()(double x, int cores) const { return at(x, 1.0 / std::max(cores, 1)); }

  // The parallel share at x, in [0, 1].
  double alpha_at(double x) const {
    if (!two_curves) return alpha;
    const double all = sequential(x);
    return all > 0 ? std::clamp(alpha - serial_curve(x) / all, 0.0, 1.0) : alpha;
  }

  // The cost of c[i] on 1 / inverse_cores cores, relative to its cost on one.
  double share_of(int i, double inverse_cores) const {
    const double common = share(inverse_cores);
    return two_curves && c[i] > 0 ? common + serial[i] / c[i] * (1 - inverse_cores) : common;
  }

 private:
  double sum_of(const std::array<double, max_degree + 1>& of, double x) const {
    const double u = scaled(x);
    double sum = 0;
    if (step == 1) {
      for (int i = degree; i >= 0; --i) sum = sum * u + of[i];
    } else {
      for (int i = highest(); i >= 0; i -= 2) sum = sum * u * u + of[i];
    }
    return std::max(0.0, sum);
  }
};

}  // namespace weir
