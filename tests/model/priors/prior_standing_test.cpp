#include "model/priors/prior_standing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

namespace weir {
namespace {

constexpr double scatter = 0.05;

prior_standing after(std::initializer_list<double> log_ratios) {
  prior_standing made;
  for (const double one : log_ratios) made.judge(one, scatter);
  return made;
}

// Invariant: errors that the model expects are no reason against it, whatever the factor.
TEST(a_prior_standing, fits_where_times_differ_by_one_factor_and_the_scatter) {
  const double factor = std::log(1.7);
  const prior_standing its = after({factor + 0.04, factor - 0.05, factor, factor + 0.02, factor - 0.01});
  EXPECT_TRUE(its.fits());
  EXPECT_NEAR(its.log_factor(), factor, 0.01);
  EXPECT_NEAR(its.uncertainty(), scatter / std::sqrt(5), 1e-3);
}

// Invariant: one late invocation neither moves the factor by more than the scatter nor refutes the model.
TEST(a_prior_standing, is_not_decided_by_one_late_invocation) {
  const prior_standing its = after({0.01, -0.03, std::log(20.0), 0.02, 0, -0.01, 0.03, -0.02});
  EXPECT_TRUE(its.fits());
  EXPECT_NEAR(its.log_factor(), 0, scatter);
}

// Invariant: times of another shape, for which no factor stands, refute the model within five observations.
TEST(a_prior_standing, does_not_fit_where_the_factor_changes_from_one_observation_to_the_next) {
  EXPECT_FALSE(after({0.3, -0.2, 0.1, -0.4, 0.2}).fits());
}

// Invariant: a model that predicts nothing is worse than one that errs, and does not fit.
TEST(a_prior_standing, is_bad_where_the_model_predicts_nothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const prior_standing silent = after({nan, nan, 0.1}), wrong = after({0.1, -0.1, 0.1});
  EXPECT_FALSE(after({0.1, nan, nan, 0.1, 0.1}).fits());
  EXPECT_FALSE(after({nan, nan, nan, nan, nan}).fits());
  EXPECT_GT(silent.badness(), wrong.badness());
  EXPECT_GT(wrong.badness(), after({0.02, -0.02, 0.01}).badness());
}

// Invariant: errors count by how far they exceed the factor known before, later ones more, and none by more than 2.
TEST(a_prior_standing, sums_the_errors_of_what_it_said_before) {
  EXPECT_EQ(after({0.7}).late_error(), 0) << "the first tells the factor";
  EXPECT_LT(after({0.1, 0.1, 0.1}).late_error(), 1e-5);
  EXPECT_DOUBLE_EQ(prior_standing::after(1, 100, 0.8), 0.8 + std::log(2.0) * std::log(2.0));
}

}  // namespace
}  // namespace weir
