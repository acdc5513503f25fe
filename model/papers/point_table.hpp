#pragma once

#include <array>
#include <span>
#include <vector>

#include <weir/model/observation.hpp>
#include "model/law/coverage.hpp"
#include "model/law/scatter.hpp"

namespace weir {

// The points that a model keeps of its observations, in constant space: the count and the mean time for each distinct
// (x, p). Points ascend in p, then in x.
//
// When a new point finds the table full, two neighbours of one p merge: those whose x are closest in ratio. A
// polynomial or a power bends least between them. The total time and the number of observations do not change. The
// merged x is where the power law through both points takes their mean time. So points on a curve merge into a point on
// the curve, to second order. The mean of two x would lie below a convex curve: by 0.75 % for a cubic whose x differ by
// a tenth.
//
// The very last point never merges, since the largest x at the largest p says most about alpha. If no p has two points
// to merge, then of the two p closest in ratio the one with fewer observations is forgotten.
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
  std::span<const point> at(int cores) const;  // the points on that many cores
  const coverage& seen() const { return seen_; }

  // The sum over all observations of ((t - mean of its point) / that mean)^2: the scatter that no curve can explain.
  // The difference between two merged points is not counted, since it is trend and not scatter.
  double within() const { return within_; }

  // The scatter of all observations about a law: seconds(x, cores), with that many fitted parameters.
  template <typename Seconds>
  scatter scatter_about(const Seconds& seconds, double parameters) const {
    scatter about{within_, static_cast<double>(seen_.observations), parameters};
    for (const point& one : points()) {
      const double off = scatter::deviation(one.seconds, seconds(one.x, one.cores));
      about.square += one.count * off * off;
    }
    return about;
  }

  // Everything as numbers, always `size` of them, and back. assign() returns false and changes nothing unless numbers()
  // can have given the numbers.
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
