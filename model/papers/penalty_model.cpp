#include "model/papers/penalty_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/law/component_law.hpp"
#include "model/law/parallel_share.hpp"
#include "model/law/scatter.hpp"

namespace weir {
namespace {

constexpr double largest_value = 1e120;

double bounded(double value) { return std::clamp(value, -largest_value, largest_value); }

penalty_model::part drawn(const curve& through, double at) {
  return {bounded(through(at)), std::min(through.deviation(), largest_value)};
}

penalty_model::part between(penalty_model::part a, penalty_model::part b, double way) {
  return {bounded(a.value * (1 - way) + b.value * way),
          std::min(a.deviation * std::abs(1 - way) + b.deviation * std::abs(way), largest_value)};
}

penalty_model::part single(double value) {
  return {bounded(value), scatter::prior * std::min(std::abs(value), largest_value)};
}

}  // namespace

penalty_model::penalty_model(const point_table& table, const penalty_options& how, const choices* chosen)
    : table_(table),
      how_(how),
      chosen_(chosen),
      round_degree_(how.form.kind == skeleton::form::iteration ? std::max(how.degree - 1, 0) : how.degree),
      base_(table.at(table.seen().smallest_cores)),
      base_share_(component_law{}.share(1.0 / base_.front().cores)),
      sequential_points_(sequential_series(true)) {
  sequential_.emplace(sequential_points_,
                      chosen ? chosen->sequential : choose_curves(sequential_points_, how.curve, round_degree_),
                      round_degree_);
}

series penalty_model::sequential_series(bool per_round) const {
  series out;
  for (const point& one : base_)
    out.add(one.x, one.seconds / base_share_ / (per_round ? how_.form.rounds(one.x) : 1), one.count);
  out.finish();
  return out;
}

penalty_model::choices penalty_model::choose() const {
  choices out;
  out.sequential = choose_curves(sequential_points_, how_.curve, round_degree_);
  const auto points = table_.points();
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!how_.over_cores && points[i].cores > 1 && (i == 0 || points[i - 1].cores != points[i].cores))
      out.penalty[i] = choose_curves(penalty_over_n(table_.at(points[i].cores)), how_.curve, round_degree_);
  return out;
}

double penalty_model::sequential(double n) const { return std::clamp((*sequential_)(n), 0.0, largest_value); }

penalty_model::part penalty_model::ideal(double n, int cores) const {
  const double parts = how_.form.parts(cores);
  return {sequential(how_.form.leaf(n, cores)) / parts, std::min(sequential_->deviation(), largest_value) / parts};
}

double penalty_model::per_round(double n) const {
  const auto place = std::ranges::lower_bound(base_, n, {}, &point::x);
  if (place == base_.end() || place->x != n) return sequential(n);
  return place->seconds / base_share_ / how_.form.rounds(n);
}

double penalty_model::penalty_at(const point& one) const {
  return one.seconds / how_.form.rounds(one.x) -
         per_round(how_.form.leaf(one.x, one.cores)) / how_.form.parts(one.cores);
}

penalty_model::part penalty_model::in_proportion(part known, double n_known, double n) const {
  const double there = sequential(n_known), here = sequential(n);
  if (!(there > 0)) return known;
  const double ratio = std::min(here / there, largest_value);
  return {bounded(known.value * ratio), std::min(known.deviation * ratio, largest_value)};
}

series penalty_model::penalty_over_n(std::span<const point> same_cores) const {
  series out;
  for (const point& one : same_cores) out.add(one.x, penalty_at(one), one.count);
  out.finish();
  return out;
}

// A at n on the cores of the table's point `first`, which is the first point on that many cores.
penalty_model::part penalty_model::penalty_of_cores(std::size_t first, double n) const {
  const auto same_cores = table_.at(table_.points()[first].cores);
  if (same_cores.size() == 1) return in_proportion(single(penalty_at(same_cores[0])), same_cores[0].x, n);
  const series points = penalty_over_n(same_cores);
  const curve_choice choice = chosen_ ? chosen_->penalty[first] : choose_curves(points, how_.curve, round_degree_);
  return drawn(curve(points, choice, round_degree_), n);
}

penalty_model::part penalty_model::over_n(double n, int cores) const {
  const auto points = table_.points();
  // The known p around the wanted one, by their first points: the last two at or below it, and the next above.
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t earlier = none, below = none, above = none;
  for (std::size_t i = 0; i < points.size() && above == none; ++i) {
    if (points[i].cores == 1 || (i > 0 && points[i - 1].cores == points[i].cores)) continue;
    if (points[i].cores > cores)
      above = i;
    else
      earlier = below, below = i;
  }
  const auto share = [&](std::size_t i) { return i == none ? 1.0 : 1.0 / points[i].cores; };
  const auto value = [&](std::size_t i) { return i == none ? part{0, 0} : penalty_of_cores(i, n); };
  const double wanted = 1.0 / cores;
  if (share(below) == wanted) return value(below);
  const std::size_t from = above == none ? earlier : below, to = above == none ? below : above;
  return between(value(from), value(to), (wanted - share(from)) / (share(to) - share(from)));
}

// A over p at the n called `known`, converted to the n asked for.
penalty_model::part penalty_model::penalty_of_n(double known, double n, int cores) const {
  series points;
  const auto base = std::ranges::find(base_, known, &point::x);
  points.add(1, 0, base != base_.end() ? base->count : 1);
  const point* last = nullptr;
  for (const point& one : table_.points())
    if (one.cores > 1 && one.x == known) points.add(one.cores, penalty_at(one), one.count), last = &one;
  points.finish();
  part out;
  if (points.size() > 2) {
    const int degree = std::max(how_.degree, 1);
    out = drawn(curve(points, choose_curves(points, how_.curve, degree), degree), cores);
  } else {
    out = single(penalty_at(*last) * (1 - 1.0 / cores) / (1 - 1.0 / last->cores));
  }
  return known == n ? out : in_proportion(out, known, n);
}

penalty_model::part penalty_model::over_cores(double n, int cores) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  double below = none, above = none;
  for (const point& one : table_.points()) {
    if (one.cores == 1) continue;
    if (one.x <= n && !(one.x <= below)) below = one.x;
    if (one.x >= n && !(one.x >= above)) above = one.x;
  }
  if (std::isnan(below)) return penalty_of_n(above, n, cores);
  if (std::isnan(above) || above == below) return penalty_of_n(below, n, cores);
  return between(penalty_of_n(below, below, cores), penalty_of_n(above, above, cores), (n - below) / (above - below));
}

penalty_model::part penalty_model::penalty(double n, int cores) const {
  if (cores == 1) return {0, 0};
  if (table_.seen().largest_cores == 1) {
    const double lost = component_law{}.share(1.0 / cores) - 1.0 / cores;
    return single(sequential(n) * lost);
  }
  return how_.over_cores ? over_cores(n, cores) : over_n(n, cores);
}

penalty_model::part penalty_model::time(double n, int cores) const {
  const part best = ideal(n, cores), lost = penalty(n, cores);
  const double rounds = how_.form.rounds(n);
  constexpr double largest = std::numeric_limits<double>::max();
  return {std::min(rounds * std::max(best.value + lost.value, 0.0), largest),
          std::min(rounds * std::hypot(best.deviation, lost.deviation), largest)};
}

std::optional<double> penalty_model::highest_serial_fraction() const {
  const point& highest = table_.points().back();
  const double rounds = how_.form.rounds(highest.x), sequential = per_round(highest.x);
  if (highest.cores == 1 || !(sequential > 0)) return std::nullopt;
  return bounded(serial_fraction(highest.seconds / rounds, sequential, highest.cores));
}

std::array<double, straight_polynomial::max_degree + 1> penalty_model::sequential_polynomial() const {
  const series points = sequential_series(false);
  auto out = fit_straight_polynomial(points, how_.degree).c;
  for (int i = 0; i <= how_.degree; ++i) out[i] = std::ldexp(out[i], -points.exponent() * i);
  return out;
}

}  // namespace weir
