#include "model/weir/law_fit.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

struct row {
  double x;
  int cores;
  double seconds, weight;
};

// Includes the prior of alpha, weighted by `pull`.
double objective(const std::vector<row>& rows, const component_law& law, double pull) {
  double sum = pull * std::pow(law.alpha - optimistic_alpha, 2);
  for (const row& r : rows) sum += r.weight * std::pow(r.seconds - law(r.x, r.cores), 2);
  return sum;
}

// The best law for one curve, computed from the rows: QR for every subset of columns, the best solution that is >= 0.
double best_for_curve(const std::vector<row>& rows, family kind, component_law& law, double pull) {
  double best = std::numeric_limits<double>::infinity();
  const auto all = static_cast<Eigen::Index>(rows.size());
  const int columns = law.degree + (kind == family::fork_join ? 2 : 1);
  component_law candidate = law;
  for (unsigned subset = 1; subset < 1u << columns; ++subset) {
    std::vector<int> taken;
    for (int i = 0; i < columns; ++i)
      if (subset >> i & 1) taken.push_back(i);
    Eigen::MatrixXd design(all, static_cast<Eigen::Index>(taken.size()));
    Eigen::VectorXd right(all);
    for (Eigen::Index r = 0; r < all; ++r) {
      const double root = std::sqrt(rows[r].weight);
      right[r] = root * rows[r].seconds;
      for (std::size_t j = 0; j < taken.size(); ++j)
        design(r, static_cast<Eigen::Index>(j)) =
            root * (taken[j] > law.degree ? rows[r].cores - 1
                                          : law.share(1.0 / rows[r].cores) * std::pow(law.scaled(rows[r].x), taken[j]));
    }
    const Eigen::VectorXd c = design.colPivHouseholderQr().solve(right);
    if ((c.array() < 0).any()) continue;
    candidate.c.fill(0);
    candidate.fork_join = 0;
    for (std::size_t j = 0; j < taken.size(); ++j)
      (taken[j] > law.degree ? candidate.fork_join : candidate.c[taken[j]]) = c[static_cast<Eigen::Index>(j)];
    const double value = objective(rows, candidate, pull);
    if (value < best) best = value, law = candidate;
  }
  return best;
}

// Searches grids of alpha and of contention that are refined around their best point.
component_law brute_force(const std::vector<row>& rows, family kind, const component_law& start, double pull) {
  const bool contends = kind == family::contention;
  component_law best = start;
  double best_value = std::numeric_limits<double>::infinity();
  double low = 0, high = 1, least = 0, most = contends ? 0.1 : 0;
  for (int round = 0; round < (contends ? 8 : 5); ++round) {
    const int steps = contends ? 8 : 20;
    const double step = (high - low) / steps, other = (most - least) / steps;
    for (int i = 0; i <= steps; ++i)
      for (int j = 0; j <= (contends ? steps : 0); ++j) {
        component_law law = start;
        law.alpha = low + i * step;
        law.contention = least + j * other;
        const double value = best_for_curve(rows, kind, law, pull);
        if (value < best_value) best_value = value, best = law;
      }
    low = std::max(0.0, best.alpha - 1.5 * step);
    high = std::min(1.0, best.alpha + 1.5 * step);
    least = std::max(0.0, best.contention - 1.5 * other);
    most = best.contention + 1.5 * other;
  }
  return best;
}

component_law first_guess(const power_sums& sums) {
  component_law law;
  law.degree = sums.degree();
  law.exponent = sums.exponent();
  return law;
}

class law_fit : public ::testing::TestWithParam<family> {};
INSTANTIATE_TEST_SUITE_P(families, law_fit, ::testing::Values(family::amdahl, family::fork_join, family::contention));

TEST_P(law_fit, is_the_constrained_least_squares_optimum_that_brute_force_finds) {
  const family kind = GetParam();
  const int degree = kind == family::amdahl ? 3 : 2;
  for (unsigned seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    chance random(seed);
    truth cost = random.cubic();
    if (kind == family::contention) cost.contention = random.uniform(0, 0.01);
    if (kind == family::fork_join) cost.fork_join = random.uniform(0, 0.02) * cost(300, 1);
    // Every third truth is random noise that no law explains, so that constraints bind.
    const bool hopeless = seed % 3 == 2;
    power_sums sums(degree);
    std::vector<row> rows;
    for (int i = 0; i < 25; ++i) {
      const double x = random.x();
      const int p = random.cores();
      const double t = hopeless ? random.uniform(0.1, 1) : cost(x, p) * random.noise(0.2);
      rows.push_back({x, p, t, 1 / (t * t)});
      sums.add(x, p, t, rows.back().weight);
    }
    for (const double pull : {0.0, 0.5}) {
      const fitted_law fit = fit_law(sums, kind, pull, first_guess(sums));
      EXPECT_LT(relative_error(fit.objective, objective(rows, fit.law, pull)), 1e-9);
      EXPECT_LT(relative_error(fit.residual, objective(rows, fit.law, 0)), 1e-9);
      // If further cores have a price, noise that no law explains can leave several minima.
      if (hopeless && kind != family::amdahl) continue;
      const component_law brute = brute_force(rows, kind, first_guess(sums), pull);
      EXPECT_LE(fit.objective, objective(rows, brute, pull) * (1 + 1e-9));
      if (hopeless) continue;  // different laws may fit equally well
      EXPECT_NEAR(fit.law.alpha, brute.alpha, 2e-3);
      for (const row& r : rows) EXPECT_LT(std::abs(fit.law(r.x, r.cores) - brute(r.x, r.cores)), 3e-3 * r.seconds);
    }
  }
}

TEST_P(law_fit, does_not_depend_on_where_it_starts) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    chance random(seed);
    truth cost = random.cubic();
    if (GetParam() == family::contention) cost.contention = 0.002;
    if (GetParam() == family::fork_join) cost.fork_join = 0.005 * cost(300, 1);
    power_sums sums(3);
    for (int i = 0; i < 60; ++i) {
      const double x = random.x();
      const int p = random.cores();
      const double t = cost(x, p) * random.noise(0.05);
      sums.add(x, p, t, 1 / (t * t));
    }
    const double from_guess = fit_law(sums, GetParam(), 0, first_guess(sums)).objective;
    for (const double alpha : {0.0, 0.3, 1.0})
      for (const double contention : {0.0, 0.05}) {
        component_law start = first_guess(sums);
        start.alpha = alpha;
        start.contention = contention;
        start.c[0] = start.c[2] = 1;
        EXPECT_LT(relative_error(fit_law(sums, GetParam(), 0, start).objective, from_guess), 1e-6);
      }
  }
}

TEST(law_fit, explains_data_in_which_x_and_p_always_move_together) {
  power_sums sums(1);
  for (int repeat = 0; repeat < 4; ++repeat)
    for (int i = 0; i < 6; ++i) sums.add(1 << i, 1 << i, 1.0, 1.0);  // T = x / p is one exact explanation
  const component_law law = fit_law(sums, family::amdahl, 0, first_guess(sums)).law;
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(law(1 << i, 1 << i), 1.0, 1e-6);
}

}  // namespace
}  // namespace weir::test
