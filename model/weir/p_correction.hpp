#pragma once

#include <array>
#include <span>

#include "model/law/component_law.hpp"
#include "model/law/power_sums.hpp"

namespace weir {

// Corrects the error of a law along p: one factor for each slot of the sums, linear in 1/p between them. An example is
// work in pieces: it takes ceil(pieces / p) rounds, a staircase that no smooth curve has.
//
// The factor f_s that a slot shows regresses its times on the law's: f_s = sum w T t / sum w T^2. All slots together
// tell how much of it is real, as in x_correction. The variance s^2 of the true factors is DerSimonian and Laird's
// variance between groups (Controlled Clinical Trials 7, 1986). Let v be the variance inside the slots, n_s their mass
// and N = sum n_s. Then
//
//   s^2 = max(0, (sum n_s (f_s - 1)^2 - (F + 2 sqrt(2 F)) v) / (N - sum n_s^2 / N)).
//
// The factor used is 1 + (f_s - 1) s^2 / (s^2 + v / n_s). The denominator of s^2 allows for a p with many observations:
// the law passes through it, so it says nothing about the error at the others.
//
// F is two less than the number of slots, since the law's curve was fitted to the same slots. Plain data; const calls
// may run concurrently.
class p_correction {
 public:
  // The factor at p = cores; 1 outside the range of the slots' p. A slot that several p share is at the mean of their
  // 1/p.
  double at(int cores) const { return count_ > 0 ? factor(cores) : 1; }

  // Everything as numbers, and back. assign() returns false and changes nothing unless numbers() can have given them.
  static constexpr int size = 1 + 2 * power_sums::default_capacity;
  std::array<double, size> numbers() const;
  bool assign(std::span<const double, size> numbers);

  // Never allocates. REQUIRES: the law was fitted to these sums, which have their default capacity.
  static p_correction of(const power_sums& sums, const component_law& law);

 private:
  double factor(int cores) const;

  struct point {
    float inverse_cores, factor;
  };
  std::array<point, power_sums::default_capacity> points_{};  // descending in 1/p
  int count_ = 0;                                             // 0: no correction
};

}  // namespace weir
