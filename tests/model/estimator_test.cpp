#include <weir/model/estimator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <weir/model/named/estimators.hpp>
#include "tests/model/truth.hpp"
#include "tests/support/refusal.hpp"

namespace weir::test {
namespace {

std::string message_of(std::string_view name, degree k) {
  return testing::refusal<std::invalid_argument>([&] { make_estimator(name, k); });
}

TEST(estimator, every_name_makes_an_estimator_that_knows_its_name) {
  EXPECT_EQ(estimator_names(), (std::vector<std::string>{"weir", "simple-amdahl", "extended-amdahl",
                                                         "extended-amdahl-online", "parallel-penalty"}));
  for (const auto& name : estimator_variants())
    for (const int k : {0, 8}) EXPECT_EQ(make_estimator(name, degree{k})->describe().estimator, name);
}

TEST(estimator, the_names_are_among_the_variants_and_no_variant_comes_twice) {
  auto variants = estimator_variants();
  for (const auto& name : estimator_names()) EXPECT_EQ(std::ranges::count(variants, name), 1) << name;
  std::ranges::sort(variants);
  EXPECT_EQ(std::ranges::adjacent_find(variants), variants.end());
}

TEST(estimator, an_unknown_name_is_answered_with_the_known_ones) {
  EXPECT_EQ(message_of("oracle", degree{1}),
            "no estimator is named 'oracle'; there are 'weir' 'simple-amdahl' 'extended-amdahl' "
            "'extended-amdahl-online' 'parallel-penalty'");
}

TEST(estimator, words_choose_in_any_order_and_the_name_is_told_without_defaults) {
  const auto told = [](std::string_view name) { return make_estimator(name, degree{1})->describe().estimator; };
  EXPECT_EQ(told("extended-amdahl:highest"), "extended-amdahl");
  EXPECT_EQ(told("parallel-penalty:lm:p"), "parallel-penalty:p:lm");
  EXPECT_EQ(told("parallel-penalty:farm:spline:n"), "parallel-penalty:spline:farm");
  EXPECT_EQ(told("parallel-penalty:branching-2:divide-and-conquer"), "parallel-penalty:divide-and-conquer:branching-2");
}

TEST(estimator, an_unknown_word_is_answered_with_the_known_ones) {
  EXPECT_EQ(message_of("extended-amdahl:median", degree{1}),
            "estimator 'extended-amdahl:median': unknown word 'median'; there are highest|mean|clamped-mean");
  EXPECT_EQ(message_of("weir:spline", degree{1}), "estimator 'weir:spline': unknown word 'spline'; it takes no words");
  EXPECT_EQ(message_of("simple-amdahl:", degree{1}), "estimator 'simple-amdahl:': unknown word ''; it takes no words");
  EXPECT_NE(message_of("parallel-penalty:q", degree{1}).find("there are n|p, best-two|spline|loess|lm|poly, map|farm|"),
            std::string::npos);
}

TEST(estimator, two_words_of_one_option_are_refused) {
  EXPECT_EQ(message_of("extended-amdahl:mean:highest", degree{1}),
            "estimator 'extended-amdahl:mean:highest': 'mean' and 'highest' choose the same option; there are "
            "highest|mean|clamped-mean");
  EXPECT_NE(message_of("parallel-penalty:n:lm:p", degree{1}).find("'n' and 'p' choose the same option"),
            std::string::npos);
  EXPECT_EQ(message_of("parallel-penalty:farm:branching-2", degree{1}),
            "estimator 'parallel-penalty:farm:branching-2': a branching needs divide-and-conquer");
}

TEST(estimator, a_degree_outside_the_range_is_named) {
  EXPECT_EQ(message_of("weir", degree{-2}), "estimator degree -2 is outside 0..8");
  EXPECT_EQ(message_of("weir", degree{9}), "estimator degree 9 is outside 0..8");
}

TEST(estimator, s_mean_is_that_of_its_prediction) {
  for (const std::string& name : estimator_variants()) {
    const auto model = make_estimator(name, degree{2});
    EXPECT_TRUE(std::isnan(model->mean(1, 1))) << name;
    chance random(1);
    for (int i = 0; i < 100; ++i) {
      const double x = random.x();
      const int p = 1 + random.index(16);
      model->observe(seen(x, p, (1 + 1e-3 * x * x) * (1 + 3.0 / p) * random.noise(0.05)));
      const auto snapshot = model->clone();
      for (const double at : {-1.0, 0.0, x, 1e6})
        for (const int cores : {0, 1, p, 100}) {
          EXPECT_DOUBLE_EQ(model->mean(at, cores), model->predict(at, cores).mean)
              << name << " at " << at << ", " << cores;
          EXPECT_DOUBLE_EQ(snapshot->mean(at, cores), model->predict(at, cores).mean)
              << name << " at " << at << ", " << cores;
        }
    }
  }
}

TEST(estimator, describes_itself_in_numbers_and_in_words) {
  const auto model = make_estimator("weir", degree{1});
  for (const double x : {1.0, 2.0, 4.0, 1.0, 2.0, 4.0})
    for (const int p : {1, 2, 2}) model->observe(seen(x, p, (3 + 2 * x) * (0.5 / p + 0.5)));
  const description learnt = model->describe();
  EXPECT_EQ(learnt.words, in_words(learnt));
  EXPECT_TRUE(learnt.words.starts_with("Tseq(x) = 2 x + 3, alpha 0.5 (known), 18 observations")) << learnt.words;
  EXPECT_EQ(learnt.observations, 18u);
  EXPECT_EQ(learnt.largest_cores, 2);
  EXPECT_EQ(learnt.smallest_x, 1);
  EXPECT_EQ(learnt.largest_x, 4);
  EXPECT_TRUE(learnt.alpha_known);
}

TEST(estimator, the_sentence_names_every_term_that_there_is) {
  description learnt;
  learnt.alpha = 0.98;
  learnt.alpha_known = true;
  learnt.coefficients = {-3, 0, 1.5};
  learnt.observations = 40;
  EXPECT_EQ(in_words(learnt), "Tseq(x) = 1.5 x^2 - 3, alpha 0.98 (known), 40 observations");
  learnt.alpha_known = false;
  learnt.coefficients = {-3};
  learnt.contention = 0.001;
  learnt.fork_join = 2e-5;
  learnt.scatter = 0.0512;
  EXPECT_EQ(in_words(learnt),
            "Tseq(x) = -3, alpha 0.98 (assumed), contention 0.001 a core, fork-join 2e-05 s a core, 40 observations, "
            "scatter 5.1 %");
}

}  // namespace
}  // namespace weir::test
