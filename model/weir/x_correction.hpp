#pragma once

#include <array>
#include <span>

#include "model/law/component_law.hpp"

namespace weir {

// Corrects the error of a law along x: factors at 32 knots, half an octave apart, whose logarithm is linear in x
// between two knots. An example is a cache that no longer holds the data: it makes a step that no polynomial has.
//
// A knot keeps the mean m_j of log(t / law) around it, less the part that its neighbour explains. It also keeps n_j,
// how many observations the mean is made of; from 32 on it forgets. All knots together tell how much of the means is
// real. The method combines them like the results of many trials (DerSimonian & Laird, Control. Clin. Trials 7, 1986).
// Let v be the variance of the remaining residuals and K the number of knots that have observations. The variance of
// the true values is
//
//   s^2 = max(0, (sum n_j m_j^2 - (K + 4 sqrt(2 K)) v) / sum n_j).
//
// Each mean counts for s^2 / (s^2 + v / n_j) of itself. Where a law holds, s^2 is next to zero and so is the
// correction. Plain data; const calls may run concurrently.
class x_correction {
 public:
  static constexpr int knots = 32;

  // The factor at x; 1 where nothing was seen.
  double at(double x) const { return signal_ > 0 ? factor(x) : 1; }

  // Takes in `residual` = log(t / law) at x. REQUIRES: 0 < weight <= 1.
  void add(double x, double residual, double weight);

  // Adapts the means to a law that was fitted anew: they become what they would be against `to` instead of `from`, both
  // at p cores.
  void rebase(const component_law& from, const component_law& to, double inverse_cores);

  // Re-estimates how much of the means is real. `deviation` is the standard deviation of the remaining residuals.
  void estimate(double deviation);

  // Everything as numbers, and back. assign() returns false and changes nothing unless numbers() can have given them.
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

  std::array<knot, knots> all_{};  // half octave h is at h mod 32
  int highest_ = -10000;           // below the half octave of every double
  float variance_ = 0.01F;         // v
  float signal_ = 0;               // s^2
};

}  // namespace weir
