#include "model/mixture/mixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "model/mixture/mixture_assignment.hpp"
#include "model/mixture/mixture_em.hpp"
#include "model/mixture/mixture_fit.hpp"

namespace weir {
namespace {

// Mean 0 and deviation 1, as a mixture requires of its columns.
std::vector<float> standardised(const std::vector<double>& values) {
  const auto rows = static_cast<double>(values.size());
  double mean = 0, square = 0;
  for (const double v : values) mean += v / rows;
  for (const double v : values) square += (v - mean) * (v - mean) / rows;
  std::vector<float> result;
  for (const double v : values) result.push_back(static_cast<float>((v - mean) / std::sqrt(square)));
  return result;
}

// The adjusted Rand index: the agreement of two partitions, corrected for chance. 1 if they are equal, 0 as by chance
// (L. Hubert & P. Arabie, Journal of Classification 2, 1985).
double adjusted_rand_index(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  const auto pairs = [](double n) { return n * (n - 1) / 2; };
  std::map<int, double> in_a, in_b;
  std::map<std::pair<int, int>, double> in_both;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ++in_a[a[i]];
    ++in_b[b[i]];
    ++in_both[{a[i], b[i]}];
  }
  double both = 0, of_a = 0, of_b = 0;
  for (const auto& [k, n] : in_both) both += pairs(n);
  for (const auto& [k, n] : in_a) of_a += pairs(n);
  for (const auto& [k, n] : in_b) of_b += pairs(n);
  const double by_chance = of_a * of_b / pairs(static_cast<double>(a.size()));
  return (both - by_chance) / ((of_a + of_b) / 2 - by_chance);
}

TEST(adjusted_rand, is_1_for_the_same_partition_and_0_by_chance) {
  EXPECT_DOUBLE_EQ(adjusted_rand_index({0, 0, 1, 1, 2}, {1, 1, 2, 2, 0}), 1);
  EXPECT_LT(adjusted_rand_index({0, 1, 0, 1}, {0, 0, 1, 1}), 0.01);
}

struct planted {
  mixture_data data;
  std::vector<std::uint8_t> mode;
};

// Three modes in two continuous features and a discrete one, as in Treichler's synthetic case. Centres are drawn at
// least three deviations apart. Each mode has another usual level and its own law of the time.
planted three_modes(unsigned seed, std::size_t rows) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::array<std::array<double, 2>, 3> centre{};
  std::array<std::array<double, 3>, 3> law{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto is_near = [&](std::size_t other) {
      return std::hypot(centre[k][0] - centre[other][0], centre[k][1] - centre[other][1]) < 3;
    };
    do {
      centre[k] = {8 * uniform(random), 8 * uniform(random)};
    } while ((k > 0 && is_near(0)) || (k > 1 && is_near(1)));
    law[k] = {5 * normal(random), normal(random), normal(random)};
  }
  planted result;
  std::vector<double> f(rows), g(rows), time(rows);
  result.data.discrete.push_back({std::vector<std::uint8_t>(rows), 3, true});
  for (std::size_t r = 0; r < rows; ++r) {
    const double draw = uniform(random);
    const std::size_t k = draw < 0.5 ? 0 : draw < 0.8 ? 1 : 2;
    result.mode.push_back(static_cast<std::uint8_t>(k));
    f[r] = centre[k][0] + normal(random);
    g[r] = centre[k][1] + normal(random);
    result.data.discrete[0].level[r] =
        static_cast<std::uint8_t>(uniform(random) < 0.8 ? k : static_cast<std::size_t>(3 * uniform(random)));
    time[r] = law[k][0] + law[k][1] * f[r] + law[k][2] * g[r] + 0.5 * normal(random);
  }
  result.data.continuous = {standardised(f), standardised(g)};
  result.data.time = standardised(time);
  return result;
}

TEST(mixture, recovers_three_planted_modes_for_20_seeds) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const planted truth = three_modes(seed, 500);
    const mixture_fit fit = fit_mixture(truth.data, {});
    EXPECT_EQ(fit.model.modes.size(), 3u);
    EXPECT_GE(adjusted_rand_index(assign(truth.data, fit.model).mode, truth.mode), 0.9);
  }
}

TEST(mixture, recovers_them_among_more_rows_than_it_is_chosen_on) {
  const planted truth = three_modes(3, 6000);
  mixture_search search;
  search.start_rows = 500;
  search.rows = 1000;
  const mixture_fit fit = fit_mixture(truth.data, search);
  EXPECT_EQ(fit.model.modes.size(), 3u);
  EXPECT_GE(adjusted_rand_index(assign(truth.data, fit.model).mode, truth.mode), 0.9);
}

// Features that form groups, such as numbers of cores, and a time that depends on none of them.
mixture_data indifferent_time(unsigned seed, std::size_t rows, const std::function<double(std::mt19937_64&)>& draw) {
  std::mt19937_64 random(seed);
  std::vector<double> cores(rows), sizes(rows), time(rows);
  mixture_data data;
  data.discrete.push_back({std::vector<std::uint8_t>(rows), 2, true});
  for (std::size_t r = 0; r < rows; ++r) {
    cores[r] = static_cast<double>(1 << random() % 4);
    sizes[r] = random() % 3 == 0 ? 100 : 1000 + static_cast<double>(random() % 50);
    data.discrete[0].level[r] = random() % 10 == 0 ? 1 : 0;
    time[r] = draw(random);
  }
  data.continuous = {standardised(cores), standardised(sizes)};
  data.time = standardised(time);
  return data;
}

TEST(mixture, noise_of_any_shape_is_one_mode) {
  const std::map<std::string, std::function<double(std::mt19937_64&)>> shapes{
      {"normal", [](auto& random) { return std::normal_distribution<double>()(random); }},
      {"uniform", [](auto& random) { return std::uniform_real_distribution<double>()(random); }},
      {"exponential", [](auto& random) { return std::exponential_distribution<double>()(random); }},
      {"logarithm of exponential",
       [](auto& random) { return std::log(std::exponential_distribution<double>()(random)); }},
      {"one in twenty is late", [](auto& random) {
         const double noise = std::normal_distribution<double>()(random);
         return random() % 20 == 0 ? 5 + 3 * noise : noise;
       }}};
  for (const auto& [shape, draw] : shapes)
    for (unsigned seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE(shape + ", seed " + std::to_string(seed));
      EXPECT_EQ(fit_mixture(indifferent_time(seed, 600, draw), {}).model.modes.size(), 1u);
    }
}

// The penalised likelihood never falls, from one half of a round to the next. The extra expectation step between the
// halves splits one step into two smaller ones, and each of them climbs.
TEST(mixture, no_half_of_a_round_makes_the_likelihood_fall) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const planted truth = three_modes(seed, 800);
    std::mt19937_64 random(seed);
    std::vector<std::uint8_t> labels;
    for (std::size_t r = 0; r < truth.data.rows(); ++r) labels.push_back(static_cast<std::uint8_t>(random() % 4));
    mixture_limits limits;
    limits.least_gain = 0;
    const mixture_em em(truth.data, limits);
    std::vector<double> path;
    const mixture_model model = em.improved(em.from_labels(labels, 4), &path);
    ASSERT_GT(path.size(), 20u);
    for (std::size_t i = 1; i < path.size(); ++i) EXPECT_GE(path[i], path[i - 1] - 1e-9 * std::abs(path[i])) << i;
    EXPECT_GE(model.log_likelihood, path.back() - 1e-9 * std::abs(path.back()));
    EXPECT_GT(path.back(), path.front() + 100) << "there was something to climb";
  }
}

TEST(mixture, shares_sum_to_1) {
  const planted truth = three_modes(1, 600);
  const mixture_fit fit = fit_mixture(truth.data, {});
  double weights = 0;
  for (const mixture_mode& mode : fit.model.modes) {
    weights += mode.weight;
    EXPECT_NEAR(mode.share[0][0] + mode.share[0][1] + mode.share[0][2], 1, 1e-12);
  }
  EXPECT_NEAR(weights, 1, 1e-12);
  EXPECT_TRUE(std::is_sorted(fit.model.modes.begin(), fit.model.modes.end(),
                             [](const auto& a, const auto& b) { return a.weight > b.weight; }));
}

TEST(mixture, is_the_same_for_the_same_seed) {
  const planted truth = three_modes(4, 700);
  const mixture_fit a = fit_mixture(truth.data, {}), b = fit_mixture(truth.data, {});
  ASSERT_EQ(a.model.modes.size(), b.model.modes.size());
  EXPECT_EQ(a.model.log_likelihood, b.model.log_likelihood);
  for (std::size_t k = 0; k < a.model.modes.size(); ++k) EXPECT_EQ(a.model.modes[k].law, b.model.modes[k].law);
}

TEST(mixture, has_as_many_modes_as_are_asked_for) {
  mixture_search search;
  for (search.modes = 1; search.modes <= 4; ++search.modes)
    EXPECT_EQ(fit_mixture(three_modes(2, 900).data, search).model.modes.size(), static_cast<std::size_t>(search.modes));
}

// One mode is one law: t = 0.5 f - 0.25 [level 1] + Student's noise of 0.1, with the errors of theory.
TEST(mixture, one_mode_is_one_law) {
  constexpr std::size_t rows = 4000;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> noise(mixture_model::freedom);
  mixture_data data;
  data.continuous.emplace_back();
  data.discrete.push_back({{}, 2, true});
  for (std::size_t r = 0; r < rows; ++r) {
    const auto f = static_cast<float>(normal(random));
    const auto level = static_cast<std::uint8_t>(random() % 2);
    data.continuous[0].push_back(f);
    data.discrete[0].level.push_back(level);
    data.time.push_back(static_cast<float>(0.5 * f - 0.25 * level + 0.1 * noise(random)));
  }
  const mixture_mode law = fit_mixture(data, {}).single.modes.at(0);
  const double error = 0.1 * std::sqrt(7.0 / 5 / static_cast<double>(rows));
  EXPECT_NEAR(law.law[1], 0.5, 4 * error);
  EXPECT_NEAR(law.law[2], -0.25, 8 * error);
  EXPECT_NEAR(law.noise, 0.1, 0.005);
  EXPECT_NEAR(law.law_error[1], error, error / 20);
  EXPECT_NEAR(law.law_error[2], 2 * error, error / 10);
}

// Collinear columns and a level without rows make nothing infinite.
TEST(mixture, degenerate_columns_are_finite) {
  planted truth = three_modes(5, 400);
  truth.data.continuous.push_back(truth.data.continuous[0]);
  truth.data.discrete.push_back({std::vector<std::uint8_t>(400, 0), 3, true});
  for (const mixture_mode& mode : fit_mixture(truth.data, {}).model.modes)
    for (const double b : mode.law) EXPECT_TRUE(std::isfinite(b));
}

}  // namespace
}  // namespace weir
