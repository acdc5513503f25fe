#include "model/weir/residual_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

TEST(residual_scale, is_the_standard_deviation_of_normal_residuals) {
  for (const double scatter : {1e-6, 0.01, 0.05, 2.0}) {
    chance random(1);
    residual_scale scale;
    for (int i = 0; i < 4000; ++i) scale.add(scatter * random.normal());
    EXPECT_NEAR(scale.deviation() / scatter, 1, 0.2) << scatter;
  }
}

TEST(residual_scale, does_not_care_how_large_the_outliers_are) {
  chance random(2);
  residual_scale clean, late;
  for (int i = 0; i < 4000; ++i) {
    const double r = 0.05 * random.normal();
    clean.add(r);
    late.add(i % 20 == 0 ? 1e6 : r);
  }
  EXPECT_NEAR(late.deviation() / clean.deviation(), 1.1, 0.2);
}

TEST(residual_scale, follows_a_change) {
  chance random(3);
  residual_scale scale;
  for (int i = 0; i < 1000; ++i) scale.add(0.01 * random.normal());
  for (int i = 0; i < 1000; ++i) scale.add(0.5 * random.normal());
  EXPECT_NEAR(scale.deviation() / 0.5, 1, 0.2);
}

TEST(huber_weight, is_one_up_to_its_bound_and_then_bounds_the_influence) {
  for (const double z : {0.0, 1.0, -1.9, 2.0}) EXPECT_EQ(huber_weight(z), 1);
  for (const double z : {2.1, -5.0, 1e9}) EXPECT_NEAR(huber_weight(z) * std::abs(z), 2, 1e-12);
}

}  // namespace
}  // namespace weir::test
