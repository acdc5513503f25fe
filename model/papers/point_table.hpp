#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/law/coverage.hpp"
#include "model/observation.hpp"

namespace weir {

// What a model that needs its points keeps of the observations: for each distinct (x, p) how many there were and their
// mean time, in constant space. Points ascend in p, then x.
//
// When a new point finds the table full, two neighbours of one p become one: those whose x are closest in ratio, for a
// polynomial or a power bends least between them. The total time and the number of observations stay what they were.
// The merged x is where the power law through both points takes their mean time, so that points on a curve merge into
// one on the curve, to second order (the mean of two x would lie below a convex curve: by 0.75 % where a cubic's x
// differ by a tenth). The very last point is left alone, since the largest x at the largest p says most of alpha. Where
// no p has two points to merge, of the two p closest in ratio the one with fewer observations is forgotten.
//
// All memory is in the object; add() takes O(capacity). Not thread-safe; const calls may run concurrently.
class point_table {
 public:
  // As many as a grid of 6 p and 40 x. A saved table is then below 8 KB.
  static constexpr int capacity = 240;

  struct point {
    double x;
    int cores;
    double count;    // whole
    double seconds;  // mean
  };

  // REQUIRES: is_usable(seen).
  void add(const observation& seen);

  std::span<const point> points() const { return {points_.data(), static_cast<std::size_t>(used_)}; }
  std::span<const point> at(int cores) const;  // those on so many cores
  const coverage& seen() const { return seen_; }

  // Sum over all observations of ((t - mean of its point) / that mean)^2: the scatter that no curve can explain. What
  // two merged points differed by is not counted, being trend rather than scatter.
  double within() const { return within_; }

  // Everything as numbers, always as many, and back. assign() returns false, changing nothing, unless the numbers are
  // what numbers() can have given.
  static constexpr std::size_t size = coverage::size + 2 + 4 * capacity;
  std::vector<double> numbers() const;
  bool assign(std::span<const double> numbers);

 private:
  void make_room();

  int used_ = 0;
  std::array<point, capacity + 1> points_{};  // the first used_ count
  coverage seen_;
  double within_ = 0;
};

}  // namespace weir
