#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weir {

// The sufficient statistics of a weighted polynomial fit in x, kept separately for each number of cores p. With
// u = x / 2^e and degree k, a slot holds 3k+2 sums and Y:
//
//   S_m = sum w u^m (m = 0..2k),   B_i = sum w u^i t (i = 0..k),   Y = sum w t^2.
//
// The sums do not contain alpha. The basis h(p) u^i of any speedup curve h is assembled from them afterwards, so a
// later change of alpha never has to be taken out of the sums.
//
// Scaling: e is the binary exponent of the largest x, so u <= 1 and no power overflows. When a larger x raises e by d,
// each S_m is multiplied by 2^(-d m) and each B_i by 2^(-d i). These are powers of two, so the scaling is exact.
//
// Overflow: slots are disjoint ranges of p in ascending order, at first of one p each. If a new p lies outside all of
// them and every slot is taken, the two neighbouring slots whose p are closest in ratio merge. A merged slot stands at
// its weighted mean of 1/p. The law is linear in 1/p, so the merge is right to first order.
//
// Forgetting: mass() is the number of observations that the sums are worth. After scale_times() or forget() the sums
// are as they would be if the times, or the weights, had been different from the beginning.
//
// The constructor takes all memory. Not thread-safe; const calls may run concurrently with each other.
class power_sums {
 public:
  // 19 distinct p: two for each doubling up to 512 cores.
  static constexpr int default_capacity = 19;

  // The sums of one range of p. The spans are valid until the next add() or assign().
  struct slot {
    double inverse_cores;       // 1/p, or its weighted mean over the range
    double mass;                // how many observations it is worth
    std::span<const double> s;  // 2k+1 values
    std::span<const double> b;  // k+1 values
    double y;
  };

  // REQUIRES: degree >= 0; capacity >= 2, or 1 where every add() names the same cores.
  explicit power_sums(int degree, int capacity = default_capacity, bool roots = false);

  // REQUIRES: x >= 0, cores >= 1, seconds > 0, weight > 0, all finite.
  void add(double x, int cores, double seconds, double weight);

  // Makes the sums as if every time so far had been `factor` times as long and weighed by 1 / factor^2, since weights
  // are those of relative errors. REQUIRES: factor > 0 and finite.
  void scale_times(double factor);

  // Multiplies all weights, and mass(), by `kept`. A p that is left with next to nothing is forgotten altogether.
  // REQUIRES: 0 < kept <= 1.
  void forget(double kept);

  // Forgets everything except count(), which is lowered by `again`: that many observations will be added once more.
  // REQUIRES: again <= count(), and an add() before any other call.
  void clear(int again);

  int degree() const { return degree_; }
  bool roots() const { return roots_; }  // u is made of the square root of x
  int exponent() const { return exponent_; }
  std::uint64_t count() const { return count_; }  // observations added, forgotten or not
  double mass() const { return mass_; }
  int index_of(int cores) const;    // the slot that holds this p; -1: none does
  double mass_at(int cores) const;  // of that slot; 0 when there is none
  int slots() const { return used_; }
  slot at(int index) const;

  int smallest_cores() const { return used_ == 0 ? 0 : ranges_[0].smallest; }
  int largest_cores() const { return used_ == 0 ? 0 : ranges_[used_ - 1].largest; }
  double smallest_x() const { return smallest_x_; }
  double largest_x() const { return largest_x_; }

  // Everything as numbers, and back. assign() returns false and changes nothing unless numbers() of the same degree and
  // capacity can have given the numbers.
  std::vector<double> numbers() const;
  bool assign(std::span<const double> numbers);

 private:
  struct range {
    int smallest = 0, largest = 0;  // p
    double inverse_cores = 0;
    double mass = 0;
  };

  int position_of(int cores) const;  // the first slot whose range does not end before this p
  bool holds(int index, int cores) const { return index < used_ && ranges_[index].smallest <= cores; }
  int find_or_make(int cores);
  void merge_closest();
  void rescale(int exponent);
  std::span<double> row(int index) { return {sums_.data() + index * stride_, static_cast<std::size_t>(stride_)}; }

  int degree_, capacity_, stride_;
  bool roots_;
  int exponent_;
  std::uint64_t count_ = 0;
  double mass_ = 0;
  double smallest_x_ = 0, largest_x_ = 0;
  int used_ = 0;
  std::vector<range> ranges_;  // the first used_ count, ascending in p
  std::vector<double> sums_;   // row i, for ranges_[i]: S, B, Y
};

}  // namespace weir
