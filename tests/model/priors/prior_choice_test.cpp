#include "model/priors/prior_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <weir/model/named/estimators.hpp>
#include "tests/model/truth.hpp"
#include "tests/support/sanitizers.hpp"

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

// Invariant: where a machine changes the parts of the law by different factors, one factor carries no model, and the
// run learns as without a prior.
TEST(a_prior_choice, learns_anew_where_one_factor_does_not_carry_a_model) {
  constexpr double slower = 1.7;
  int used = 0;
  std::vector<double> with, without;
  for (unsigned t = 0; t < trials; ++t) {
    chance by(400 + t);
    const earlier_runs runs(by);
    truth there = runs.truths[by.index(costs)];  // its serial part takes longer
    const double serial = slower * (1 - there.alpha), all = there.alpha + serial;
    for (double& c : there.coefficients) c *= all;
    there.alpha /= all;
    const auto model = choosing_among(runs.models), alone = make_estimator("weir", unknown_degree);
    for (int i = 0; i < 30; ++i) {
      const observation seen = drawn(by, there);
      model->observe(seen);
      alone->observe(seen);
    }
    used += model->describe().words.find("began from") != std::string::npos;
    with.push_back(error_of(*model, there, by));
    without.push_back(error_of(*alone, there, by));
  }
  EXPECT_LE(used, trials / 4) << "where almost nothing is serial, a factor does";
  EXPECT_LE(median(with), 1.05 * median(without));
}

// Invariant: a prior of few cores carries to many on another machine.
TEST(a_prior_choice, predicts_on_more_cores_than_its_run_had) {
  std::vector<double> with, without;
  for (unsigned t = 0; t < trials; ++t) {
    chance by(450 + t);
    const truth cost = by.cubic();
    const std::shared_ptr<estimator> few = make_estimator("weir", unknown_degree);
    for (int i = 0; i < 300; ++i) {
      const double x = by.x();
      const int cores = 1 << by.index(3);
      few->observe(test::seen(x, cores, cost(x, cores) * by.noise(noise)));
    }
    const auto model = choosing_among({{"few", few}}), alone = make_estimator("weir", unknown_degree);
    for (int i = 0; i < 10; ++i) {
      const observation seen = drawn(by, cost, 1.7);
      model->observe(seen);
      alone->observe(seen);
    }
    with.push_back(error_of(*model, cost, by, 1.7));
    without.push_back(error_of(*alone, cost, by, 1.7));
  }
  EXPECT_LE(median(with), 0.8 * median(without));
}

// Invariant: the words name the machine of the model in use, where it is known.
TEST(a_prior_choice, says_on_which_machine_its_prior_learnt) {
  chance by(9);
  earlier_runs runs(by);
  runs.models[3].machine = "A processor, 64 cores";
  const auto model = choosing_among(runs.models), other = choosing_among(runs.models);
  learn(*model, runs.truths[3], by, 10);
  EXPECT_NE(model->describe().words.find("began from the model of '3' (A processor, 64 cores)"), std::string::npos)
      << model->describe().words;
  learn(*other, runs.truths[4], by, 10);
  EXPECT_TRUE(began_from(*other, 4)) << other->describe().words;
  EXPECT_EQ(other->describe().words.find("processor"), std::string::npos) << other->describe().words;
}

// Invariant: candidates of which none fits do no harm, from the first few observations on.
TEST(a_prior_choice, is_as_good_as_no_prior_where_no_run_fits) {
  for (const int observations : testing::slow ? std::vector{5, 50} : std::vector{5, 10, 20, 50, 100}) {
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
    EXPECT_LE(median(with), 1.05 * median(without));
  }
}

// Invariant: what a model of several predictors learnt holds on a slower machine, with one factor.
TEST(a_prior_choice, takes_models_of_several_predictors) {
  chance by(1);
  const char* const name = "weir(number, number)";
  const auto at = [](double f, double g, double seconds) {
    observation o;
    o.x = f;
    o.further[0] = g;
    o.seconds = seconds;
    return o;
  };
  const auto product = [](double f, double g) { return 1e-6 * f * g; };
  const auto sum = [](double f, double g) { return 1e-3 * f + 2e-4 * g; };
  const std::shared_ptr<estimator> one = make_estimator(name, unknown_degree), other = one->clone();
  for (int i = 0; i < 200; ++i) {
    const double f = by.x(), g = by.x();
    one->observe(at(f, g, product(f, g) * by.noise(0.03)));
    other->observe(at(f, g, sum(f, g) * by.noise(0.03)));
  }
  prior_choice model(make_estimator(name, unknown_degree), {{"0", one}, {"1", other}});
  for (int i = 0; i < 10; ++i) {
    const double f = by.x(), g = by.x();
    model.observe(at(f, g, 2 * sum(f, g) * by.noise(0.03)));
  }
  EXPECT_TRUE(began_from(model, 1)) << model.describe().words;
  EXPECT_NEAR(model.predict(model.x_of(at(300, 500, 1)), 1).mean, 2 * sum(300, 500), 0.1 * 2 * sum(300, 500));
}

// Invariant: a copy and a restored model predict to the bit what the model does, while it chooses and afterwards.
TEST(a_prior_choice, is_copied_and_saved_exactly_at_any_time) {
  chance by(7);
  const earlier_runs runs(by);
  const auto model = choosing_among(runs.models);
  for (int i = 0; i < prior_choice::judged + 5; ++i) {
    SCOPED_TRACE(i);
    model->observe(drawn(by, runs.truths[3]));
    const auto again = make_estimator(model->describe().estimator, unknown_degree);
    ASSERT_TRUE(again->restore(model->state()));
    const double said = model->predict(500, 4).mean;
    EXPECT_EQ(again->predict(500, 4).mean, said);
    EXPECT_EQ(model->clone()->predict(500, 4).mean, said);
  }
}

// Invariant: unusable observations decide nothing.
TEST(a_prior_choice, ignores_what_is_not_usable) {
  chance by(8);
  const auto model = choosing_among(earlier_runs(by).models);
  observation bad = test::seen(100, 1, std::nan(""));
  for (int i = 0; i < 20; ++i) model->observe(bad);
  bad = test::seen(100, 1, 1);
  bad.after_move = true;
  model->observe(bad);
  EXPECT_TRUE(std::isnan(model->predict(100, 1).mean));
}

// Invariant: means and quantiles are those of the model that is saved, tails that it has learnt included.
TEST(a_prior_choice, predicts_as_the_model_in_use) {
  chance by(10);
  const earlier_runs runs(by);
  const auto model = choosing_among(runs.models);
  for (int i = 0; i < 300; ++i) {
    observation seen = drawn(by, runs.truths[2]);
    if (i % 10 == 9) seen.seconds *= 20;
    model->observe(seen);
  }
  const auto saved = make_estimator("weir", unknown_degree);
  ASSERT_TRUE(saved->restore(model->state()));
  for (const double x : {50.0, 200.0, 1000.0}) {
    EXPECT_EQ(model->predict(x, 4).mean, saved->predict(x, 4).mean) << x;
    EXPECT_EQ(model->quantile(0.99, x, 4), saved->quantile(0.99, x, 4)) << x;
  }
}

// Invariant: rescaling multiplies every prediction, and there and back is no change.
TEST(a_prior_choice, multiplies_a_model_as_a_whole) {
  chance by(9);
  const truth cost = by.cubic();
  const auto model = make_estimator("weir", unknown_degree);
  learn(*model, cost, by, 300);
  const auto slower = model->clone();
  ASSERT_TRUE(slower->rescale(3));
  for (const double x : {50.0, 200.0, 1000.0})
    for (const int p : {1, 4, 32})
      EXPECT_NEAR(slower->predict(x, p).mean / model->predict(x, p).mean, 3, 0.03) << x << ' ' << p;
  EXPECT_FALSE(make_estimator("simple-amdahl", degree{3})->rescale(3)) << "the papers' estimators cannot";
}

}  // namespace
}  // namespace weir
