#pragma once

#include <array>
#include <span>

#include "model/law/rank_one_law.hpp"

namespace weir {

// What a law misses along x: factors at 32 knots, half an octave apart, linear in x between two. A cache that no longer
// holds the data makes a step there that no polynomial has.
//
// A knot keeps the mean m_j of log(t / law) around it, less what its neighbour explains, and how many observations that
// is made of, n_j (from 32 on it forgets). How much of the means is real is judged from all of them together, as where
// the results of many trials are combined (DerSimonian & Laird, Control. Clin. Trials 7, 1986): with v the variance of
// what remains, the variance of the true values is
//
//   s^2 = max(0, (sum n_j m_j^2 - (K + 4 sqrt(2 K)) v) / sum n_j),   K = knots that have observations
//
// and each mean counts for s^2 / (s^2 + v / n_j) of itself. Where a law holds, s^2 is next to zero and so is the
// correction. Plain data; const calls may run concurrently.
class x_correction {
 public:
  static constexpr int knots = 32;

  // The factor at x; 1 where nothing was seen.
  double at(double x) const { return signal_ > 0 ? factor(x) : 1; }

  // Takes in log(t / law) at x. REQUIRES: 0 < weight <= 1.
  void add(double x, double residual, double weight);

  // The law was fitted anew: the means become what they had been against `to` instead of `from`, both at p cores.
  void rebase(const rank_one_law& from, const rank_one_law& to, double inverse_cores);

  // Judges anew how much of the means is real. `deviation` is the standard deviation of what remains.
  void estimate(double deviation);

  // Everything as numbers, and back. assign() returns false, changing nothing, unless they can come from numbers().
  static constexpr int size = 2 * knots + 3;
  std::array<double, size> numbers() const;
  bool assign(std::span<const double, size> numbers);

 private:
  struct knot {
    float mean = 0, mass = 0;
  };
  double factor(double x) const;
  bool has(int half_octave) const { return half_octave <= highest_ && half_octave > highest_ - knots; }
  static std::size_t index(int half_octave) { return static_cast<unsigned>(half_octave) % knots; }
  double shrunk(int half_octave) const;

  std::array<knot, knots> all_{};  // that of half octave h at h mod 32
  int highest_ = -10000;           // below that of every double
  float variance_ = 0.01F;         // v
  float signal_ = 0;               // s^2
};

}  // namespace weir
