#pragma once

#include <array>
#include <span>

#include "model/law/power_sums.hpp"
#include "model/law/rank_one_law.hpp"

namespace weir {

// What a law misses along p: a factor for each slot of the sums, linear in 1/p between them. Work that comes in pieces
// takes ceil(pieces / p) rounds, a staircase that no smooth curve has.
//
// A slot's own factor is what regresses its times on the law's, f = sum w T t / sum w T^2. How much of it is real is
// judged from all slots together, as for x_correction: with v the variance inside the slots and n_s their mass,
//
//   s^2 = max(0, (sum n_s (f_s - 1)^2 - (F + 2 sqrt(2 F)) v) / (N - sum n_s^2 / N)),   N = sum n_s,
//   factor = 1 + (f_s - 1) s^2 / (s^2 + v / n_s)
//
// which is DerSimonian and Laird's variance between groups (Controlled Clinical Trials 7, 1986): a p that was in force
// for long makes the law pass through it and says nothing of how far the others are off.
//
// F is two less than the number of slots, since the law's curve was fitted to the same slots. Plain data; const calls
// may run concurrently.
class p_correction {
 public:
  // 1 outside of the slots' p, of which one that several p share is at their mean.
  double at(int cores) const { return count_ > 0 ? factor(cores) : 1; }

  // Everything as numbers, and back. assign() returns false, changing nothing, unless they can come from numbers().
  static constexpr int size = 1 + 2 * power_sums::default_capacity;
  std::array<double, size> numbers() const;
  bool assign(std::span<const double, size> numbers);

  // Never allocates. REQUIRES: the law was fitted to these sums, which have their default capacity.
  static p_correction of(const power_sums& sums, const rank_one_law& law);

 private:
  double factor(int cores) const;

  struct point {
    float inverse_cores, factor;
  };
  std::array<point, power_sums::default_capacity> points_{};  // descending in 1/p
  int count_ = 0;                                             // 0: no correction
};

}  // namespace weir
