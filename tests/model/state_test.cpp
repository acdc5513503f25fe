#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <weir/model/named/estimators.hpp>
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

class state : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<estimator> make(int k) const { return make_estimator(GetParam(), degree{k}); }

  std::unique_ptr<estimator> trained(int k, int observations, unsigned seed = 1) const {
    auto model = make(k);
    feed(*model, observations, seed);
    return model;
  }

  static void feed(estimator& model, int observations, unsigned seed) {
    chance random(seed);
    const truth cost{0.9, {1e-3, 0, 0, 1e-9}};
    for (int i = 0; i < observations; ++i) {
      const double x = random.x();
      const int p = 1 + random.index(50);
      model.observe(seen(x, p, cost(x, p) * random.noise(0.05)));
    }
  }

  static void expect_same(const estimator& a, const estimator& b) {
    for (const double x : {0.0, 40.0, 3000.0})
      for (const int p : {1, 7, 100}) {
        const prediction one = a.predict(x, p), other = b.predict(x, p);
        EXPECT_EQ(one.mean, other.mean);
        EXPECT_EQ(one.spread, other.spread);
        EXPECT_EQ(one.alpha, other.alpha);
        EXPECT_EQ(one.sequential, other.sequential);
        EXPECT_EQ(one.confidence, other.confidence);
      }
    EXPECT_EQ(a.describe().words, b.describe().words);
    EXPECT_EQ(a.describe().alpha_known, b.describe().alpha_known);
    EXPECT_EQ(a.state(), b.state());
  }
};
INSTANTIATE_TEST_SUITE_P(estimators, state, ::testing::ValuesIn(estimator_variants()), as_test_name());

TEST_P(state, comes_back_to_the_bit_and_learns_on_the_same) {
  for (const int observations : {1, 2, 17, 1000}) {
    const auto original = trained(3, observations);
    const auto restored = make(3);
    ASSERT_TRUE(restored->restore(original->state()));
    expect_same(*original, *restored);
    feed(*original, 100, 2);
    feed(*restored, 100, 2);
    expect_same(*original, *restored);
  }
}

TEST_P(state, of_an_untrained_model_comes_back_too) {
  const auto restored = trained(2, 10);
  ASSERT_TRUE(restored->restore(make(2)->state()));
  EXPECT_TRUE(std::isnan(restored->predict(1, 1).mean));
  EXPECT_EQ(restored->state(), make(2)->state());
}

TEST_P(state, that_does_not_fit_is_refused_and_changes_nothing) {
  const auto model = trained(3, 50);
  const auto before = model->state();
  const auto refuses = [&](const std::vector<double>& numbers) {
    EXPECT_FALSE(model->restore(numbers));
    EXPECT_EQ(model->state(), before);
  };
  refuses({});
  refuses({1});
  refuses(trained(2, 50)->state());
  refuses(trained(4, 50)->state());
  auto longer = before, shorter = before;
  longer.push_back(0);
  shorter.pop_back();
  refuses(longer);
  refuses(shorter);
  for (std::size_t i = 0; i < before.size(); ++i)
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      auto broken = before;
      broken[i] = bad;
      refuses(broken);
    }
}

TEST_P(state, of_the_other_estimator_is_refused) {
  for (const auto& name : estimator_variants())
    if (name != GetParam()) {
      EXPECT_FALSE(make(3)->restore(make_estimator(name, degree{3})->state()));
    }
}

TEST_P(state, a_clone_and_its_original_are_independent) {
  const auto original = trained(3, 100);
  const auto before = original->state();
  const auto copy = original->clone();
  expect_same(*original, *copy);
  feed(*copy, 100, 3);
  EXPECT_EQ(original->state(), before);
  EXPECT_NE(copy->state(), before);
  // Both learn the same from the same later observations.
  feed(*original, 100, 3);
  expect_same(*original, *copy);
}

}  // namespace
}  // namespace weir::test
