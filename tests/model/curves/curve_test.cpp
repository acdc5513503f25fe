#include "model/curves/curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

series through(const std::vector<double>& x, const std::function<double(double)>& f) {
  series out;
  for (const double one : x) out.add(one, f(one), 1);
  out.finish();
  return out;
}

std::vector<double> steps(double from, double to, double step) {
  std::vector<double> out;
  for (double x = from; x <= to; x += step) out.push_back(x);
  return out;
}

double cubic(double x) { return 3 + 0.5 * x - 0.02 * x * x + 0.001 * x * x * x; }

series noisy_cubic(unsigned seed, int points) {
  chance random(seed);
  series out;
  double x = 0;
  for (int i = 0; i < points; ++i) {
    x += random.uniform(0.5, 3);
    out.add(x, cubic(x) + random.uniform(-1, 1), random.uniform(1, 5));
  }
  out.finish();
  return out;
}

TEST(series, scales_by_a_power_of_two_and_makes_one_of_what_cannot_be_told_apart) {
  series points;
  points.add(1, 10, 1);
  points.add(3, 20, 1);
  points.add(3 + 1e-10, 50, 2);
  points.finish();
  ASSERT_EQ(points.size(), 2);
  EXPECT_EQ(points.exponent(), 2);
  EXPECT_EQ(points.u()[0], 0.25);
  EXPECT_NEAR(points.u()[1], 0.75, 1e-9);
  EXPECT_EQ(points.y()[1], 40);
  EXPECT_EQ(points.weights()[1], 3);
  EXPECT_EQ(points.scaled(1e300), series::largest_scaled_x);
  EXPECT_EQ(points.scaled(-1), 0);
}

TEST(orthogonal_polynomials, are_the_polynomial_that_qr_finds) {
  for (unsigned seed = 0; seed < 20; ++seed)
    for (const int degree : {0, 1, 3, 6}) {
      const series points = noisy_cubic(seed, 40);
      const auto orthogonal = fit_orthogonal_polynomials(points.u(), points.y(), points.weights(), degree);
      const auto straight = fit_straight_polynomial(points, degree);
      const auto coefficients = orthogonal.coefficients();
      for (const double u : {0.0, 0.3, 0.9, 1.5}) EXPECT_NEAR(orthogonal(u), straight(u), 1e-7 * std::abs(straight(u)));
      for (int i = 0; i <= degree; ++i)
        EXPECT_NEAR(coefficients[i], straight.c[i], 1e-6 * (1 + std::abs(straight.c[i])));
    }
}

TEST(orthogonal_polynomials, leverages_sum_to_the_number_of_coefficients) {
  const series points = noisy_cubic(1, 30);
  const auto fit = fit_orthogonal_polynomials(points.u(), points.y(), points.weights(), 4);
  double sum = 0;
  for (int i = 0; i < 30; ++i) sum += fit.leverage(points.u()[i], points.weights()[i]);
  EXPECT_NEAR(sum, 5, 1e-10);
}

TEST(orthogonal_polynomials, the_residual_without_a_point_follows_from_its_leverage) {
  const series points = noisy_cubic(2, 20);
  const auto all = fit_orthogonal_polynomials(points.u(), points.y(), points.weights(), 3);
  for (int i = 0; i < 20; ++i) {
    const series rest = points.without(i);
    const double u = points.u()[i], y = points.y()[i];
    const double left_out = y - fit_orthogonal_polynomials(rest.u(), rest.y(), rest.weights(), 3)(u);
    EXPECT_NEAR((y - all(u)) / (1 - all.leverage(u, points.weights()[i])), left_out, 1e-9);
  }
}

TEST(orthogonal_polynomials, stop_at_the_degree_that_the_points_determine) {
  const series three = through({1, 2, 5}, [](double x) { return x * x; });
  const auto fit = fit_orthogonal_polynomials(three.u(), three.y(), three.weights(), 8);
  EXPECT_EQ(fit.degree, 2);
  EXPECT_NEAR(fit(three.scaled(4)), 16, 1e-12);
}

TEST(natural_spline, goes_through_every_point) {
  const series points = noisy_cubic(3, 25);
  const natural_spline spline(points);
  for (int i = 0; i < 25; ++i) EXPECT_NEAR(spline(points.u()[i]), points.y()[i], 1e-12);
}

TEST(natural_spline, through_a_roof_of_three_points_is_the_textbooks) {
  // (0,0), (1,1), (2,0): S(x) = 1.5 x - 0.5 x^3 up to 1, and the mirror image after it.
  const series points = through({0, 1, 2}, [](double x) { return 1 - std::abs(x - 1); });
  const natural_spline spline(points);
  EXPECT_DOUBLE_EQ(spline(points.scaled(0.5)), 0.6875);
  EXPECT_DOUBLE_EQ(spline(points.scaled(1.5)), 0.6875);
  EXPECT_DOUBLE_EQ(spline(points.scaled(3)), -1.5);  // a straight line beyond the end
}

TEST(natural_spline, comes_closer_to_a_smooth_curve_with_more_points) {
  const auto error = [](double step) {
    const series points = through(steps(0, 30, step), cubic);
    return std::abs(natural_spline(points)(points.scaled(14.1)) - cubic(14.1));
  };
  EXPECT_LT(error(1), error(4) / 16);
}

TEST(loess, a_parabola_is_met_everywhere_and_continued_as_its_tangent) {
  const auto parabola = [](double x) { return 2 - x + 0.25 * x * x; };
  const series points = through(steps(1, 16, 1), parabola);
  const loess curve(points);
  for (const double x : {1.0, 1.7, 8.2, 15.9, 16.0}) EXPECT_NEAR(curve(points.scaled(x)), parabola(x), 1e-10) << x;
  EXPECT_NEAR(curve(points.scaled(20)), parabola(16) + 4 * (-1 + 0.5 * 16), 1e-9);
}

TEST(loess, a_point_outside_the_nearest_three_quarters_does_not_matter) {
  const auto with_last = [](double last) {
    const series points = through(steps(1, 20, 1), [=](double x) { return x == 20 ? last : cubic(x); });
    return std::pair(loess(points)(points.scaled(2)), loess(points)(points.scaled(19)));
  };
  EXPECT_EQ(with_last(0).first, with_last(1000).first);
  EXPECT_NE(with_last(0).second, with_last(1000).second);
}

// In the middle between two heaps all points are as far, and the curve lies between the heaps.
TEST(loess, is_drawn_between_points_that_are_all_as_far) {
  const series points = through({1, 11, 21, 31, 1e9, 1e9 + 10, 1e9 + 20, 1e9 + 30}, [](double x) { return 1 + x; });
  ASSERT_EQ(points.size(), 8);
  for (const double x : {4.9e8, 5e8, 5.1e8}) {
    const double y = loess(points)(points.scaled(x));
    EXPECT_GT(y, 1) << x;
    EXPECT_LT(y, 1.1e9) << x;
  }
}

TEST(loess, smooths_what_a_spline_follows) {
  const auto gentle = [](double x) { return 3 + 0.5 * x - 0.002 * x * x; };
  double smooth = 0, followed = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    chance random(seed);
    const series points = through(steps(1, 60, 1), [&](double x) { return gentle(x) + random.uniform(-1, 1); });
    const loess curve(points);
    const natural_spline spline(points);
    for (double x = 1; x < 60; x += 0.7) {
      smooth += std::abs(curve(points.scaled(x)) - gentle(x));
      followed += std::abs(spline(points.scaled(x)) - gentle(x));
    }
  }
  EXPECT_LT(smooth, followed / 2);
}

TEST(curve, every_kind_takes_one_point_as_a_constant_and_two_as_a_line) {
  const series one = through({7}, [](double) { return 3.0; });
  const series two = through({1, 5}, [](double x) { return 2 * x; });
  for (const auto kind :
       {curve_kind::best_two, curve_kind::spline, curve_kind::loess, curve_kind::lm, curve_kind::poly}) {
    EXPECT_NEAR(curve(one, choose_curves(one, kind, 3), 3)(100), 3, 1e-12);
    for (const double x : {0.0, 1.0, 3.0, 5.0, 20.0})
      EXPECT_NEAR(curve(two, choose_curves(two, kind, 3), 3)(x), 2 * x, 1e-9) << static_cast<int>(kind);
  }
}

TEST(best_two, take_the_polynomial_where_it_is_the_truth_and_not_where_it_is_not) {
  const series smooth = noisy_cubic(5, 40);
  EXPECT_EQ(choose_curves(smooth, curve_kind::best_two, 3).first, curve_kind::poly);
  const series bent = through(steps(1, 40, 1), [](double x) { return x < 20 ? 1.0 : 1 + (x - 20); });
  const auto chosen = choose_curves(bent, curve_kind::best_two, 1);
  EXPECT_NE(chosen.first, curve_kind::poly);
  EXPECT_NE(chosen.second, curve_kind::poly);
}

TEST(best_two, are_averaged) {
  const series points = noisy_cubic(6, 30);
  const curve_choice both = choose_curves(points, curve_kind::best_two, 2);
  ASSERT_NE(both.first, both.second);
  const curve first(points, {both.first, both.first}, 2), second(points, {both.second, both.second}, 2);
  const curve mean(points, both, 2);
  for (const double x : {0.0, 13.0, 80.0}) EXPECT_DOUBLE_EQ(mean(x), (first(x) + second(x)) / 2);
}

}  // namespace
}  // namespace weir::test
