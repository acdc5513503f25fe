#include "model/rank_one_fit.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <limits>

#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

struct row {
  double x;
  int cores;
  double seconds, weight;
};

// With the prior of alpha, which weighs `pull`.
double objective(const std::vector<row>& rows, const rank_one_law& law, double pull) {
  double sum = pull * std::pow(law.alpha - optimistic_alpha, 2);
  for (const row& r : rows) sum += r.weight * std::pow(r.seconds - law(r.x, r.cores), 2);
  return sum;
}

// The best law for one alpha, from the rows themselves: every subset of columns by QR, the best whose solution is >= 0.
double best_for_alpha(const std::vector<row>& rows, rank_one_law& law, double pull) {
  double best = std::numeric_limits<double>::infinity();
  const auto all = static_cast<Eigen::Index>(rows.size());
  rank_one_law candidate = law;
  for (unsigned subset = 1; subset < 1u << (law.degree + 1); ++subset) {
    std::vector<int> columns;
    for (int i = 0; i <= law.degree; ++i)
      if (subset >> i & 1) columns.push_back(i);
    Eigen::MatrixXd design(all, static_cast<Eigen::Index>(columns.size()));
    Eigen::VectorXd right(all);
    for (Eigen::Index r = 0; r < all; ++r) {
      const double root = std::sqrt(rows[r].weight);
      right[r] = root * rows[r].seconds;
      for (std::size_t j = 0; j < columns.size(); ++j)
        design(r, static_cast<Eigen::Index>(j)) =
            root * law.share(1.0 / rows[r].cores) * std::pow(law.scaled(rows[r].x), columns[j]);
    }
    const Eigen::VectorXd c = design.colPivHouseholderQr().solve(right);
    if ((c.array() < 0).any()) continue;
    candidate.c.fill(0);
    for (std::size_t j = 0; j < columns.size(); ++j) candidate.c[columns[j]] = c[static_cast<Eigen::Index>(j)];
    const double value = objective(rows, candidate, pull);
    if (value < best) best = value, law = candidate;
  }
  return best;
}

// Over a grid of alpha that is refined around its best point.
rank_one_law brute_force(const std::vector<row>& rows, const rank_one_law& start, double pull) {
  rank_one_law best = start;
  double best_value = std::numeric_limits<double>::infinity();
  double low = 0, high = 1;
  for (int round = 0; round < 5; ++round) {
    constexpr int steps = 20;
    const double step = (high - low) / steps;
    for (int i = 0; i <= steps; ++i) {
      rank_one_law law = start;
      law.alpha = low + i * step;
      const double value = best_for_alpha(rows, law, pull);
      if (value < best_value) best_value = value, best = law;
    }
    low = std::max(0.0, best.alpha - step);
    high = std::min(1.0, best.alpha + step);
  }
  return best;
}

TEST(rank_one_fit, is_the_constrained_least_squares_optimum_that_brute_force_finds) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    chance random(seed);
    // Every third truth is random noise that no law explains, so that constraints bind.
    const truth cost = random.cubic();
    const bool hopeless = seed % 3 == 2;
    power_sums sums(3);
    std::vector<row> rows;
    for (int i = 0; i < 25; ++i) {
      const double x = random.x();
      const int p = random.cores();
      const double t = hopeless ? random.uniform(0.1, 1) : cost(x, p) * random.noise(0.2);
      rows.push_back({x, p, t, 1 / (t * t)});
      sums.add(x, p, t, rows.back().weight);
    }
    const rank_one_fit fit = fit_rank_one(sums);
    const rank_one_law without = brute_force(rows, fit.law, 0);
    const double freedom =
        25 - 1 - static_cast<double>(std::ranges::count_if(without.c, [](double c) { return c > 0; }));
    const double variance = (objective(rows, without, 0) + 0.01 * std::exp2(-freedom)) / (freedom + 1);
    const double pull = variance / (0.15 * 0.15);
    EXPECT_LT(relative_error(fit.alpha_pull, pull), 1e-6);
    const rank_one_law brute = brute_force(rows, fit.law, pull);
    EXPECT_LE(objective(rows, fit.law, pull), objective(rows, brute, pull) * (1 + 1e-9));
    EXPECT_NEAR(fit.law.alpha, brute.alpha, 1e-3);
    for (const row& r : rows) EXPECT_LT(std::abs(fit.law(r.x, r.cores) - brute(r.x, r.cores)), 1e-3 * r.seconds);
  }
}

TEST(rank_one_fit, of_no_observations_says_so) { EXPECT_EQ(fit_rank_one(power_sums(2)).observations, 0u); }

TEST(rank_one_fit, explains_data_in_which_x_and_p_always_move_together) {
  power_sums sums(1);
  for (int repeat = 0; repeat < 4; ++repeat)
    for (int i = 0; i < 6; ++i) sums.add(1 << i, 1 << i, 1.0, 1.0);  // T = x / p is one exact explanation
  const rank_one_fit fit = fit_rank_one(sums);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(fit.law(1 << i, 1 << i), 1.0, 1e-6);
}

TEST(rank_one_fit, leaves_alpha_at_its_prior_where_many_alphas_fit_alike) {
  power_sums sums(3);
  sums.add(100, 1, 1.0, 1.0);
  sums.add(200, 8, 0.5, 4.0);  // a steeper polynomial and a larger alpha explain this as well as their opposites
  const rank_one_fit fit = fit_rank_one(sums);
  EXPECT_NEAR(fit.law.alpha, optimistic_alpha, 1e-9);
  EXPECT_NEAR(fit.law(100, 1), 1.0, 1e-9);
  EXPECT_NEAR(fit.law(200, 8), 0.5, 1e-9);
}

TEST(rank_one_fit, two_close_core_counts_with_a_late_observation_do_not_flatten_the_curve) {
  // 32 ms on 10 cores, alpha 0.9; one of the invocations there takes 53 ms.
  const truth cost{0.9, {0.032 / 0.19}};
  const auto fitted = [&](std::initializer_list<row> rows) {
    power_sums sums(0);
    for (const row& r : rows) sums.add(1, r.cores, r.seconds, 1 / (r.seconds * r.seconds));
    return fit_rank_one(sums);
  };
  for (const double late : {0.032, 0.053}) {
    const double ten = cost(1, 10), twelve = cost(1, 12);
    const rank_one_fit fit = fitted({{1, 10, ten, 1}, {1, 10, ten, 1}, {1, 12, late, 1}, {1, 12, twelve * 1.02, 1}});
    EXPECT_FALSE(fit.alpha_known);
    EXPECT_GT(fit.law(1, 1), 3 * fit.law(1, 10)) << late;
  }
  const rank_one_fit wide = fitted({{1, 1, cost(1, 1), 1}, {1, 48, cost(1, 48), 1}});
  EXPECT_TRUE(wide.alpha_known);
  EXPECT_NEAR(wide.law.alpha, 0.9, 0.02);
}

}  // namespace
}  // namespace weir::test
