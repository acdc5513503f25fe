#include "model/weir/family.hpp"

#include <algorithm>
#include <cmath>

#include "model/weir/two_curves.hpp"

namespace weir {
namespace {

// How many observations there are beyond what determines the law.
double freedom(const power_sums& sums, const fitted_law& fit) { return std::max(sums.mass() - fit.parameters, 0.0); }

// Whether noise alone cannot bend the times along p into the curve of this family.
bool is_identifiable(family kind, const power_sums& sums) {
  if (sums.largest_cores() < 2 * sums.smallest_cores()) return false;
  const bool x_varies = sums.degree() >= 1 && sums.largest_x() > 2 * sums.smallest_x();
  if (kind == family::two_curves) return x_varies;
  if (kind == family::fork_join && x_varies) return true;
  return sums.slots() >= 3 && sums.largest_cores() >= 4;
}

// R plus the scatter assumed beforehand.
double residual(const power_sums& sums, const fitted_law& fit) {
  return fit.residual + prior_scatter * prior_scatter * std::exp2(-freedom(sums, fit));
}

// A law with nearly as many parameters as observations fits any observations.
constexpr double fewest_spare = 3;

// A law with half powers, or with a serial curve of its own, has many columns to choose from, so chance finds one that
// explains more. Without these margins predictions beyond the largest x err by up to twice as much.
constexpr double half_powers_margin = 10, two_curves_margin = 4;

double criterion(const power_sums& sums, const fitted_law& fit) {
  // Schwarz's own value, for large n, is 1. With 1.5 a richer family must explain more than chance would.
  constexpr double penalty = 1.5;
  // Below a millionth differences are rounding.
  constexpr double exact = 1e-12;
  const double n = std::max(sums.mass(), 1.0);
  return n * std::log(residual(sums, fit) / n + exact) + penalty * fit.parameters * std::log(n);
}

}  // namespace

chosen_law choose_law(const power_sums& sums, bool all_families) {
  component_law start;
  start.degree = sums.degree();
  start.roots = sums.roots();
  if (sums.roots()) start.step = 2;
  chosen_law best{fit_law(sums, family::amdahl, 0, start), family::amdahl, 0};
  const auto consider = [&](const fitted_law& fit, family kind, double margin = 0) {
    if (freedom(sums, fit) >= fewest_spare && criterion(sums, fit) + margin < criterion(sums, best.fit))
      best = {fit, kind, 0};
  };
  if (sums.roots()) {
    component_law richer = best.fit.law;
    richer.step = 1;
    consider(fit_law(sums, family::amdahl, 0, richer), family::amdahl, half_powers_margin);
  }
  const component_law amdahl = best.fit.law;
  for (const family kind : {family::fork_join, family::contention, family::two_curves}) {
    if (!all_families || !is_identifiable(kind, sums)) continue;
    if (kind == family::two_curves)
      consider(fit_two_curves(sums, amdahl), kind, two_curves_margin);
    else
      consider(fit_law(sums, kind, 0, amdahl), kind);
  }
  if (best.kind == family::two_curves) return best;
  best.pull = residual(sums, best.fit) / (freedom(sums, best.fit) + 1) / (prior_alpha_spread * prior_alpha_spread);
  best.fit = fit_law(sums, best.kind, best.pull, best.fit.law);
  return best;
}

}  // namespace weir
