#include "model/estimator.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

std::string message_of(std::string_view name, degree k) {
  try {
    make_estimator(name, k);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(estimator, every_name_makes_an_estimator_that_knows_its_name) {
  EXPECT_EQ(estimator_names(), (std::vector<std::string>{"weir", "extended-amdahl-online"}));
  for (const auto& name : estimator_names())
    for (const int k : {0, 8}) EXPECT_EQ(make_estimator(name, degree{k})->describe().estimator, name);
}

TEST(estimator, an_unknown_name_is_answered_with_the_known_ones) {
  EXPECT_EQ(message_of("oracle", degree{1}),
            "no estimator is named 'oracle'; there are 'weir' 'extended-amdahl-online'");
}

TEST(estimator, a_degree_outside_the_range_is_named) {
  EXPECT_EQ(message_of("weir", degree{-1}), "estimator degree -1 is outside 0..8");
  EXPECT_EQ(message_of("weir", degree{9}), "estimator degree 9 is outside 0..8");
}

TEST(estimator, describes_itself_in_numbers_and_in_words) {
  const auto model = make_estimator("weir", degree{1});
  for (const double x : {1.0, 2.0, 4.0, 1.0, 2.0, 4.0})
    for (const int p : {1, 2, 2}) model->observe(seen(x, p, (3 + 2 * x) * (0.5 / p + 0.5)));
  const description learnt = model->describe();
  EXPECT_EQ(learnt.words, "Tseq(x) = 2 x + 3, alpha 0.5 (known), 18 observations");
  EXPECT_EQ(learnt.observations, 18u);
  EXPECT_EQ(learnt.largest_cores, 2);
  EXPECT_EQ(learnt.smallest_x, 1);
  EXPECT_EQ(learnt.largest_x, 4);
  EXPECT_TRUE(learnt.alpha_known);
}

}  // namespace
}  // namespace weir::test
