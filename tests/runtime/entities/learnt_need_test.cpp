#include "runtime/entities/learnt_need.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

// How much of a resource invocations will need, learnt from what earlier ones used.
namespace weir::detail {
namespace {

TEST(a_learnt_need, is_unknown_until_four_amounts_are_known) {
  learnt_need of;
  for (int i = 0; i < 3; ++i) of.note(i, 100);
  EXPECT_EQ(of.bound_at(1), std::nullopt);
  of.note(std::numeric_limits<double>::quiet_NaN(), 100);
  of.note(1, -1);
  EXPECT_EQ(of.bound_at(1), std::nullopt) << "what is no amount at a number counts for nothing";
  of.note(3, 100);
  EXPECT_DOUBLE_EQ(of.bound_at(1).value(), 110);
  EXPECT_EQ(of.bound_at(std::numeric_limits<double>::infinity()), std::nullopt);
}

TEST(a_learnt_need, follows_the_predictor_value_beyond_what_was_seen) {
  learnt_need of;
  for (int x = 1; x <= 20; ++x) of.note(x, 50 + 10 * x);
  EXPECT_NEAR(of.bound_at(5).value(), 1.1 * 100, 1e-6);
  EXPECT_NEAR(of.bound_at(100).value(), 1.1 * 1050, 1e-6);
}

TEST(a_learnt_need, does_not_fall_where_larger_inputs_happened_to_need_less) {
  learnt_need of;
  for (int x = 1; x <= 20; ++x) of.note(x, 1000 - 10 * x);
  EXPECT_GE(of.bound_at(1000).value(), 900);
}

TEST(a_learnt_need, forgets_what_is_more_than_64_amounts_old) {
  learnt_need of;
  of.note(1, 1'000'000);
  for (int i = 0; i < 64; ++i) of.note(1, 10);
  EXPECT_DOUBLE_EQ(of.bound_at(1).value(), 11);
}

// Amounts that scatter by a log-normal factor of 0.3 around a line: of a thousand that follow, few exceed the bound.
TEST(a_learnt_need, holds_for_nearly_all_amounts_that_follow) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> scatter(0, 0.3);
  std::uniform_real_distribution<double> size(1, 100);
  const auto amount = [&](double x) { return static_cast<std::int64_t>(1e6 * (2 + x) * std::exp(scatter(random))); };
  learnt_need of;
  for (int i = 0; i < 64; ++i) {
    const double x = size(random);
    of.note(x, amount(x));
  }
  int exceeded = 0;
  for (int i = 0; i < 1000; ++i) {
    const double x = size(random);
    const std::int64_t used = amount(x);
    exceeded += static_cast<double>(used) > of.bound_at(x).value();
    of.note(x, used);
  }
  EXPECT_LE(exceeded, 60);  // a twentieth without the tenth of safety
}

}  // namespace
}  // namespace weir::detail
