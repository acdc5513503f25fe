#include <gtest/gtest.h>

#include <cmath>

#include <weir/model/named/estimators.hpp>
#include "model/weir/weir_estimator.hpp"
#include "tests/model/allocation_count.hpp"
#include "tests/model/truth.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir::test {
namespace {

class long_run : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(estimators, long_run, ::testing::ValuesIn(estimator_variants()), as_test_name());

TEST_P(long_run, observing_and_predicting_allocate_nothing) {
  for (const int k : {0, 3, 8}) {
    const auto original = make_estimator(GetParam(), degree{k});
    original->observe(seen(1, 1, 1));
    const auto copy = original->clone();
    chance random(1);
    double sum = 0;
    for (estimator* model : {original.get(), copy.get()}) {
      const long before = allocation_count();
      for (int i = 0; i < testing::fewer(2000); ++i) {
        // More core counts than slots, and growing x, so that slots merge and sums are rescaled.
        model->observe(seen(random.uniform(0, 1 + i), 1 + random.index(100), random.uniform(1, 2)));
        sum += model->predict(i, 4).mean;
      }
      EXPECT_EQ(allocation_count(), before);
    }
    EXPECT_TRUE(std::isfinite(sum));
  }
}

TEST_P(long_run, the_state_is_no_larger_after_many_observations) {
  const auto model = make_estimator(GetParam(), degree{3});
  chance random(1);
  const auto feed = [&](int count) {
    for (int i = 0; i < count; ++i) model->observe(seen(random.x(), 1 + i % 32, random.uniform(1, 2)));
    return model->state().size();
  };
  const std::size_t early = feed(32);
  EXPECT_EQ(feed(testing::fewer(100000)), early);
  EXPECT_LT(early * sizeof(double), 12288u);
}

TEST(weir_long_run, a_component_takes_ten_kilobytes_and_less_with_a_degree) {
  const auto bytes = [](degree k) {
    const long before = allocated_bytes();
    const auto model = make_estimator("weir", k);
    return allocated_bytes() - before;
  };
  EXPECT_LE(bytes(unknown_degree), 10408);
  EXPECT_LE(bytes(degree{3}), 8128);
}

TEST(weir_long_run, stays_accurate) {
  const truth cost{0.97, {1e-3, 0, 0, 1e-9}};
  const auto model = make_estimator("weir", degree{3});
  chance random(6);
  for (int i = 0; i < testing::fewer(300000); ++i) {
    const double x = random.x();
    const int p = random.cores();
    model->observe(seen(x, p, cost(x, p) * random.noise(0.05)));
  }
  // The noise has mean exp(0.05^2 / 2) = 1.00125.
  for (const double x : {32.0, 200.0, 1024.0})
    for (const int p : {1, 8, 32}) EXPECT_LT(relative_error(model->predict(x, p).mean, cost(x, p)), 0.005);
  EXPECT_NEAR(model->describe().alpha, 0.97, 0.001);
}

}  // namespace
}  // namespace weir::test
