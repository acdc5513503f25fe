#pragma once

#include <array>
#include <optional>

#include "model/curves/curve.hpp"
#include "model/curves/series.hpp"
#include "model/papers/point_table.hpp"
#include "model/papers/skeleton.hpp"

namespace weir {

// What a parallel penalty model is told beforehand.
struct penalty_options {
  bool over_cores = false;  // false: A over n at each p; true: A over p at each n
  curve_kind curve = curve_kind::best_two;
  skeleton form;
  int degree = 1;  // of Tseq in n
};

// The parallel penalty of a table of points, A(n,p) = T(n,p) - ideal(n,p), and the sequential time, each predicted by a
// curve of its own and so separately (Lobachev & Loogen). Everything is per round, which only `iteration` has several
// of.
//
// T(n) comes from the points on one core. Where there are none it comes from those on the smallest p seen, divided by
// what optimistic_alpha makes of them on one core. A is taken at each point, against the time measured at the same n on
// one core, or else against the curve's.
//
//   over n   For each p a curve through A over n, of the degree of T. Between two p, and from p = 1, where nothing is
//            lost, A is linear in 1/p, as the penalty of a serial share is; beyond the largest p the line through the
//            last two goes on. Of a p with one point only A is taken as proportional to T(n).
//   over p   For each n a curve through A over p that begins with 0 at p = 1, of the degree of T but at least 1.
//   Between
//            two n, A is linear in n; outside of them proportional to T(n). Of an n with one p > 1 only, A grows with p
//            as that of a serial share does. This wants a grid: where every n is seen once, curves have two points.
//
// With one core seen only, A is that of optimistic_alpha. Results are within +-1e120, so that nothing overflows.
//
// Refers to the table, which must outlive it; some 20 KB, made on the stack; never allocates. Const calls may run
// concurrently. REQUIRES: a table of at least one point.
class penalty_model {
 public:
  // Which curves best_two means for each series; finding out is what takes time, so that a fit is kept as this.
  struct choices {
    curve_choice sequential;
    std::array<curve_choice, point_table::capacity> penalty;  // of the p whose first point this is; over n only
  };

  // Curves are chosen when they are needed, unless `chosen` says what choose() gave for this table.
  penalty_model(const point_table& table, const penalty_options& how, const choices* chosen = nullptr);

  choices choose() const;

  struct part {
    double value;      // seconds a round
    double deviation;  // one standard deviation of an observation, seconds a round
  };
  double sequential(double n) const;  // seconds a round
  part ideal(double n, int cores) const;
  part penalty(double n, int cores) const;

  // T(n, p) in seconds, not negative.
  part time(double n, int cores) const;

  // The serial fraction at the highest point: largest p, then largest n. None with one core seen.
  std::optional<double> highest_serial_fraction() const;

  // T(n) over all rounds as a polynomial of the component's degree, by least squares: coefficients of n^i.
  std::array<double, straight_polynomial::max_degree + 1> sequential_polynomial() const;

 private:
  using point = point_table::point;

  double per_round(double n) const;  // as measured at n on one core, else drawn
  double penalty_at(const point& one) const;
  series penalty_over_n(std::span<const point> same_cores) const;
  part penalty_of_cores(std::size_t first, double n) const;
  part over_n(double n, int cores) const;
  part penalty_of_n(double known, double n, int cores) const;
  part over_cores(double n, int cores) const;
  part in_proportion(part known, double n_known, double n) const;
  series sequential_series(bool per_round) const;

  const point_table& table_;
  penalty_options how_;
  const choices* chosen_;
  int round_degree_;             // of the curves over n
  std::span<const point> base_;  // on one core, or the least there is
  double base_share_;            // of the time on one core
  series sequential_points_;
  std::optional<curve> sequential_;  // through them
};

}  // namespace weir
