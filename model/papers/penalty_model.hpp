#pragma once

#include <array>
#include <optional>

#include "model/curves/curve.hpp"
#include "model/curves/series.hpp"
#include "model/papers/point_table.hpp"
#include "model/papers/skeleton.hpp"

namespace weir {

// The options of a parallel penalty model.
struct penalty_options {
  bool over_cores = false;  // false: A over n at each p; true: A over p at each n
  curve_kind curve = curve_kind::best_two;
  skeleton form;
  int degree = 1;  // of Tseq in n
};

// The parallel penalty of a table of points, A(n,p) = T(n,p) - ideal(n,p), and the sequential time T(n). Each is
// predicted by a curve of its own (Lobachev & Loogen). All times are per round; only `iteration` has more than one
// round.
//
// T(n) comes from the points on one core. If there are none, it comes from those on the smallest p seen, divided by the
// share that optimistic_alpha gives there. A is taken at each point, against the time measured at the same n on one
// core, or else against the curve's.
//
// Over n, each p has a curve through A over n, of the degree of T. Between two p, A is linear in 1/p, like the
// penalty of a serial share; at p = 1 it is 0. Beyond the largest p the line through the last two continues. If a p has
// only one point, its A is taken as proportional to T(n).
//
// Over p, each n has a curve through A over p, of the degree of T but at least 1, that begins with 0 at p = 1.
// Between two n, A is linear in n; outside of them it is proportional to T(n). If an n has only one p > 1, its A grows
// with p like the penalty of a serial share. This mode wants a grid: where every n is seen once, curves have two
// points.
//
// If only one core was seen, A is the penalty that optimistic_alpha gives. Results are within +-1e120, so nothing
// overflows.
//
// Refers to the table, which must outlive it. Takes some 20 KB, on the stack; never allocates. Const calls may run
// concurrently. REQUIRES: a table of at least one point.
class penalty_model {
 public:
  // The curves that best_two means for each series. Finding them takes most of the time, so a fit is kept in this form.
  struct choices {
    curve_choice sequential;
    std::array<curve_choice, point_table::capacity> penalty;  // by index of the first point of a p; over n only
  };

  // Chooses curves when they are needed, unless `chosen` holds the result of choose() for this table.
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

  // The serial fraction at the highest point: largest p, then largest n. None where only one core was seen.
  std::optional<double> highest_serial_fraction() const;

  // T(n) over all rounds as a least squares polynomial of the component's degree: coefficients of n^i.
  std::array<double, straight_polynomial::max_degree + 1> sequential_polynomial() const;

 private:
  using point = point_table::point;

  double per_round(double n) const;  // as measured at n on one core, else from the curve
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
  std::span<const point> base_;  // on one core, or on the fewest cores seen
  double base_share_;            // time on base_'s cores relative to one core
  series sequential_points_;
  std::optional<curve> sequential_;  // through sequential_points_
};

}  // namespace weir
