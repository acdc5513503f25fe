#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include <weir/model/named/estimators.hpp>
#include "model/law/coverage.hpp"
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

// One number or two were changed by hand, or by a fault of a disk.
TEST_P(state, with_other_numbers_is_refused_or_predicts_and_learns_as_any) {
  constexpr std::array<double, 18> others{0,      1,      -1,   2,    0.5,   3e-9,  1e-12,  1e-17, 1e-170,
                                          1e-300, 5e-324, 1e12, 1e17, 1e120, 1e170, -1e170, 1e300, 1.7e308};
  const bool is_slow = GetParam().starts_with("parallel-penalty");
  chance random(4);
  const auto sound = [](const estimator& model) {
    for (const double x : {0.0, 1.0, 300.0, 1e300})
      for (const int p : {1, 7, std::numeric_limits<int>::max()})
        if (!is_sound(model.predict(x, p))) return false;
    return true;
  };
  for (const int observations : {1, 2, 40}) {
    const auto original = trained(3, observations)->state();
    const int trials = is_slow ? 300 : 3000;
    for (int trial = 0; trial < trials; ++trial) {
      auto numbers = original;
      std::string changes;
      for (int changed = 0; changed < 1 + trial % 3; ++changed) {
        const auto place = static_cast<std::size_t>(random.index(numbers.size()));
        numbers[place] = others[static_cast<std::size_t>(random.index(others.size()))];
        changes += " [" + std::to_string(place) + "] = " + ::testing::PrintToString(numbers[place]);
      }
      const auto model = make(3);
      if (!model->restore(numbers) || model->describe().observations == 0) continue;
      ASSERT_TRUE(sound(*model)) << observations << changes;
      feed(*model, 5, 7);
      ASSERT_TRUE(sound(*model)) << observations << " and 5 more" << changes;
    }
  }
}

// A sum that made the law NaN.
TEST(a_state_of_simple_amdahl, that_no_observations_give_is_refused) {
  const auto model = make_estimator("simple-amdahl", degree{0});
  for (const int p : {1, 2, 4}) model->observe(seen(1, p, 1.0 / p));
  const std::vector<double> original = model->state();
  ASSERT_TRUE(model->restore(original));
  for (std::size_t i = original.size() - 5; i < original.size(); ++i)
    for (const double other : {1e-300, 1e300}) {
      std::vector<double> changed = original;
      changed[i] = other;
      const bool is_accepted = model->restore(changed);
      EXPECT_TRUE(std::isfinite(model->predict(1, 3).spread)) << i << ' ' << other;
      EXPECT_FALSE(is_accepted && other > 1) << i;
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
