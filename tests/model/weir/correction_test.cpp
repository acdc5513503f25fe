#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "model/weir/law_fit.hpp"
#include "model/weir/p_correction.hpp"
#include "model/weir/x_correction.hpp"
#include "tests/model/round_trip.hpp"
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

constexpr double scatter = 0.05;

// The correction of observations whose times are `below` times the law's up to x = 250, and `above` times beyond.
x_correction of_a_step(unsigned seed, double below, double above) {
  chance random(seed);
  x_correction along;
  for (int i = 0; i < 400; ++i) {
    const double x = random.x();
    along.add(x, std::log(x > 250 ? above : below) + scatter * random.normal(), 1);
  }
  along.estimate(scatter);
  return along;
}

// By chance one in ten to one in five is corrected: 10 and 18 of 100 in two orders of the same draws.
TEST(x_correction, of_a_law_that_holds_is_mostly_none) {
  int corrected = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    chance random(seed);
    x_correction along;
    for (int i = 0; i < 300; ++i) {
      const double x = random.x();
      along.add(x, scatter * random.normal(), 1);
    }
    along.estimate(scatter);
    corrected += along.at(300) != 1;
  }
  EXPECT_LE(corrected, 25);
}

TEST(x_correction, finds_a_step) {
  const x_correction along = of_a_step(1, 1, 1.5);
  for (const double x : {40.0, 100.0, 150.0}) EXPECT_NEAR(along.at(x), 1, 0.05) << x;
  for (const double x : {400.0, 700.0, 1000.0}) EXPECT_NEAR(along.at(x), 1.5, 0.08) << x;
}

TEST(x_correction, finds_a_step_down_to_a_tenth) {
  const x_correction along = of_a_step(2, 1, 0.1);
  for (const double x : {400.0, 700.0, 1000.0}) EXPECT_NEAR(along.at(x), 0.1, 0.02) << x;
}

TEST(x_correction, is_none_where_nothing_was_seen) {
  x_correction along;
  for (int i = 0; i < 100; ++i) along.add(64, 0.5, 1);
  along.estimate(scatter);
  EXPECT_NEAR(along.at(64), std::exp(0.5), 0.03);
  for (const double x : {0.0, 1e-300, 16.0, 1000.0, 1e300, std::numeric_limits<double>::infinity()})
    EXPECT_EQ(along.at(x), 1) << x;
}

TEST(x_correction, keeps_its_meaning_when_the_law_is_fitted_anew) {
  // The corrected value is law * factor: if the law grows by 1.2, the factor shrinks by it.
  component_law from{.degree = 1, .exponent = 10, .c = {1, 2}}, to = from;
  for (double& c : to.c) c *= 1.2;
  x_correction along = of_a_step(5, 0.8, 1.5);
  const double before = along.at(700);
  along.rebase(from, to, 0.25);
  along.estimate(scatter);
  EXPECT_NEAR(along.at(700) * 1.2, before, 0.02);
}

TEST(x_correction, follows_x_that_grows_without_end) {
  x_correction along;
  for (double x = 1; x < 1e30; x *= 1.1) along.add(x, 0.3, 1);
  along.estimate(scatter);
  EXPECT_EQ(along.at(1), 1);  // at most 32 half octaves back
  EXPECT_GT(along.at(1e29), 1.1);
}

TEST(x_correction, comes_back_from_its_numbers_and_refuses_others) {
  chance random(3);
  x_correction along;
  for (int i = 0; i < 100; ++i) along.add(random.x(), random.normal(), 1);
  along.estimate(scatter);
  expect_round_trip(along);
}

// Corrections of hundreds of orders of magnitude, as of a predictor that gives the largest number for one input, come
// back as well.
TEST(x_correction, that_is_huge_comes_back_from_its_numbers) {
  x_correction along;
  for (const double residual : {-400, 300, 300, -400}) along.add(1e300, residual, 1);
  for (const double residual : {-1, 0, 1}) along.add(1, residual, 1);
  along.estimate(150);
  expect_round_trip(along);
}

// Sums of a component whose work comes in `pieces`; 0: the work is divisible without limit.
power_sums staircase(int pieces, unsigned seed) {
  chance random(seed);
  power_sums sums(1);
  for (int i = 0; i < 600; ++i) {
    const double x = random.x();
    const int p = 1 + random.index(16);
    const double part = pieces > 0 ? std::ceil(static_cast<double>(pieces) / p) / pieces : 1.0 / p;
    const double t = 1e-3 * x * (0.95 * part + 0.05) * random.noise(scatter);
    sums.add(x, p, t, 1 / (t * t));
  }
  return sums;
}

component_law fitted(const power_sums& sums) {
  component_law start;
  start.degree = sums.degree();
  return fit_law(sums, family::amdahl, 0, start).law;
}

TEST(p_correction, of_a_law_that_holds_is_mostly_none) {
  int corrected = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    const power_sums sums = staircase(0, seed);
    corrected += p_correction::of(sums, fitted(sums)).at(8) != 1;
  }
  EXPECT_LE(corrected, 5);
}

TEST(p_correction, finds_a_staircase) {
  const power_sums sums = staircase(12, 1);
  const component_law law = fitted(sums);
  const p_correction along = p_correction::of(sums, law);
  double with = 0, without = 0;
  for (int p = 1; p <= 16; ++p) {
    const double truth = 1e-3 * 500 * (0.95 * std::ceil(12.0 / p) / 12 + 0.05);
    without = std::max(without, relative_error(law(500, p), truth));
    with = std::max(with, relative_error(law(500, p) * along.at(p), truth));
  }
  EXPECT_GT(without, 0.1);
  EXPECT_LT(with, 0.05);
}

// Cores that hurt more than any law can say, seen on three numbers of them. A small error of three may be chance.
TEST(p_correction, of_three_numbers_of_cores_is_of_large_errors_only) {
  const auto times_of = [](double on_8, double on_14) {
    power_sums sums(0);
    chance random(3);
    for (const auto& [cores, seconds, count] : {std::tuple{4, 0.06, 100}, {8, on_8, 10}, {14, on_14, 30}})
      for (int i = 0; i < count; ++i) {
        const double t = seconds * std::exp(scatter * random.normal());
        sums.add(1, cores, t, 1 / (t * t));
      }
    return sums;
  };
  const power_sums hurting = times_of(0.3, 0.33);
  const component_law law = fitted(hurting);
  const p_correction along = p_correction::of(hurting, law);
  EXPECT_GT(relative_error(law(1, 8), 0.3), 0.2);
  EXPECT_LT(relative_error(law(1, 8) * along.at(8), 0.3), 0.05);
  EXPECT_LT(relative_error(law(1, 4) * along.at(4), 0.06), 0.05);

  const power_sums smooth = times_of(1.15 * (0.2 / 8 + 0.01), 0.2 / 14 + 0.01);
  const p_correction none = p_correction::of(smooth, fitted(smooth));
  for (const int p : {4, 8, 14}) EXPECT_EQ(none.at(p), 1) << p;
}

TEST(p_correction, is_none_outside_of_what_was_seen_and_between_its_neighbours_inside) {
  power_sums sums(0);
  for (const int p : {4, 8, 16, 32, 64})
    for (int i = 0; i < 20; ++i) {
      const double t = (p == 16 ? 2.0 : 1.0) / p;
      sums.add(1, p, t, 1 / (t * t));
    }
  const p_correction along = p_correction::of(sums, fitted(sums));
  EXPECT_EQ(along.at(3), 1);
  EXPECT_EQ(along.at(65), 1);
  EXPECT_GT(along.at(16), along.at(8));
  for (int p = 9; p < 16; ++p) {
    EXPECT_GT(along.at(p), along.at(p - 1));
    EXPECT_LT(along.at(p), along.at(16));
  }
}

TEST(p_correction, comes_back_from_its_numbers_and_refuses_others) {
  const power_sums sums = staircase(12, 2);
  expect_round_trip(p_correction::of(sums, fitted(sums)));
}

}  // namespace
}  // namespace weir::test
