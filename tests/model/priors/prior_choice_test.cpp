#include "model/priors/prior_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <weir/model/named/estimators.hpp>
#include "tests/model/truth.hpp"

namespace weir {
namespace {

using test::chance;
using test::truth;

constexpr double noise = 0.05;
constexpr int costs = 8, trials = 40;

observation drawn(chance& by, const truth& cost, double factor = 1) {
  const double x = by.x();
  const int cores = by.cores();
  return test::seen(x, cores, factor * cost(x, cores) * by.noise(noise));
}

void learn(estimator& model, const truth& cost, chance& by, int observations, double factor = 1) {
  for (int i = 0; i < observations; ++i) model.observe(drawn(by, cost, factor));
}

// Costs and what runs of 300 invocations learnt of them, as runs "0", "1", ..
struct earlier_runs {
  explicit earlier_runs(chance& by) {
    for (int i = 0; i < costs; ++i) {
      truths.push_back(by.cubic());
      std::shared_ptr<estimator> model = make_estimator("weir", unknown_degree);
      learn(*model, truths.back(), by, 300);
      models.push_back({std::to_string(i), model});
    }
  }
  std::vector<truth> truths;
  std::vector<prior_candidate> models;
};

std::unique_ptr<estimator> choosing_among(const std::vector<prior_candidate>& models) {
  return std::make_unique<prior_choice>(make_estimator("weir", unknown_degree), models);
}

double error_of(const estimator& model, const truth& cost, chance by, double factor = 1) {
  std::vector<double> all;
  for (int i = 0; i < 40; ++i) {
    const double x = by.x();
    const int cores = by.cores();
    all.push_back(test::relative_error(model.predict(x, cores).mean, factor * cost(x, cores)));
  }
  std::ranges::nth_element(all, all.begin() + 20);
  return all[20];
}

double median(std::vector<double> of) {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::nth_element(of.begin(), middle, of.end());
  return *middle;
}

bool began_from(const estimator& model, int run) {
  return model.describe().words.find("model of '" + std::to_string(run) + "'") != std::string::npos;
}

// Invariant: without an observation nothing tells the candidates apart, so nothing is predicted.
TEST(a_prior_choice, knows_nothing_before_the_first_observation) {
  chance by(1);
  const auto model = choosing_among(earlier_runs(by).models);
  EXPECT_TRUE(std::isnan(model->predict(100, 4).mean));
  EXPECT_EQ(model->cores_known().largest, 0);
  EXPECT_EQ(model->describe().words, "nothing observed yet");
}

// Invariant: of eight costs that were learnt, the one that comes again is chosen.
TEST(a_prior_choice, takes_the_run_whose_cost_comes_again_after_five_and_ten_observations) {
  int after_five = 0, after_ten = 0;
  for (unsigned t = 0; t < trials; ++t) {
    chance by(100 + t);
    const earlier_runs runs(by);
    const int same = by.index(costs);
    const auto model = choosing_among(runs.models);
    learn(*model, runs.truths[same], by, 5);
    after_five += began_from(*model, same);
    learn(*model, runs.truths[same], by, 5);
    after_ten += began_from(*model, same);
  }
  EXPECT_GE(after_five, trials * 8 / 10);
  EXPECT_GE(after_ten, trials * 8 / 10);
}

// Invariant: one factor carries a model to a machine that is 1.7 times slower.
TEST(a_prior_choice, predicts_on_a_slower_machine_as_if_the_run_had_been_there) {
  constexpr double slower = 1.7;
  std::vector<double> carried, right;
  for (unsigned t = 0; t < trials; ++t) {
    chance by(200 + t);
    const earlier_runs runs(by);
    const int same = by.index(costs);
    const auto there = make_estimator("weir", unknown_degree);
    learn(*there, runs.truths[same], by, 300, slower);
    const auto model = choosing_among(runs.models);
    learn(*model, runs.truths[same], by, 10, slower);
    carried.push_back(error_of(*model, runs.truths[same], by, slower));
    right.push_back(error_of(*there, runs.truths[same], by, slower));
  }
  EXPECT_LE(median(carried), median(right) + 0.025);
}

// Invariant: candidates of which none fits do no harm.
TEST(a_prior_choice, is_as_good_as_no_prior_where_no_run_fits) {
  for (const int observations : {10, 20, 50, 100}) {
    SCOPED_TRACE(observations);
    std::vector<double> with, without;
    for (unsigned t = 0; t < trials; ++t) {
      chance by(300 + t);
      const earlier_runs runs(by);
      truth other = by.cubic();
      const auto model = choosing_among(runs.models), alone = make_estimator("weir", unknown_degree);
      for (int i = 0; i < observations; ++i) {
        const observation seen = drawn(by, other);
        model->observe(seen);
        alone->observe(seen);
      }
      with.push_back(error_of(*model, other, by));
      without.push_back(error_of(*alone, other, by));
    }
    std::printf("%d: %.4f %.4f\n", observations, median(with), median(without));
    EXPECT_LE(median(with), median(without) + 0.01);
  }
}

}  // namespace
}  // namespace weir
