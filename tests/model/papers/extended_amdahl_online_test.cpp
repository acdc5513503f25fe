#include "model/papers/extended_amdahl_online.hpp"

#include <gtest/gtest.h>

#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

TEST(extended_amdahl_online, learns_a_law_that_is_shown_on_one_core_first) {
  const truth cost{0.9, {2e-2, 1e-4, 1e-6}};
  extended_amdahl_online model(degree{2});
  for (double x = 100; x <= 1000; x += 100) model.observe(seen(x, 1, cost(x, 1)));
  EXPECT_FALSE(model.describe().alpha_known);
  model.observe(seen(500, 4, cost(500, 4)));
  EXPECT_TRUE(model.describe().alpha_known);
  EXPECT_NEAR(model.describe().alpha, 0.9, 1e-6);
  for (const int p : {1, 4, 16}) EXPECT_LT(relative_error(model.predict(700, p).mean, cost(700, p)), 1e-6);
}

TEST(extended_amdahl_online, averages_alpha_at_the_highest_point_and_begins_anew_at_a_higher_one) {
  extended_amdahl_online model(degree{0});
  const auto alpha = [&] { return model.describe().alpha; };
  for (int i = 0; i < 20000; ++i) model.observe(seen(1, 1, 1));  // Tseq stays 1 from here on
  model.observe(seen(1, 2, 0.6));
  EXPECT_NEAR(alpha(), 0.8, 1e-3);
  model.observe(seen(1, 2, 0.7));
  EXPECT_NEAR(alpha(), 0.7, 1e-3);  // mean of 0.8 and 0.6
  model.observe(seen(2, 2, 0.5));   // same p, larger x
  EXPECT_NEAR(alpha(), 1.0, 1e-3);
  model.observe(seen(1, 2, 0.9));  // below the highest point
  EXPECT_NEAR(alpha(), 1.0, 1e-3);
  model.observe(seen(1, 4, 0.4));  // larger p
  EXPECT_NEAR(alpha(), 0.8, 1e-3);
}

TEST(extended_amdahl_online, clamps_alpha) {
  for (const double seconds : {0.01, 2.0}) {
    extended_amdahl_online model(degree{0});
    for (int i = 0; i < 10; ++i) model.observe(seen(1, 1, 1));
    model.observe(seen(1, 4, seconds));
    EXPECT_EQ(model.describe().alpha, seconds < 1 ? 1 : 0);
    EXPECT_GE(model.predict(1, 1000).mean, 0);
  }
}

}  // namespace
}  // namespace weir::test
