#include <gtest/gtest.h>

#include <cmath>

#include <weir/model/named/estimators.hpp>
#include "model/law/parallel_share.hpp"
#include "model/papers/skeleton.hpp"
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

// Karatsuba's multiplication of polynomials of 16 000 to 64 000 coefficients on one and on eight cores. Times, in
// seconds, are the first and the last three that Lobachev and Loogen print. Source: slides of "Estimating Parallel
// Performance, A Skeleton-Based Approach", HLPP 2010. n is known for the first and the last.
struct printed {
  double sequential, parallel;
  double penalty;  // the expected A(n,8) = T(n,8) - T(n)/8
  double serial;   // the expected f, from the two times
};
constexpr int most_cores = 8;
constexpr printed times[] = {{9.88, 1.29, 0.055, 0.00636},
                             {74.39, 9.95, 0.65125, 0.01001},
                             {82.02, 11.0, 0.7475, 0.01042},
                             {88.94, 11.86, 0.7425, 0.00954}};

TEST(karatsuba, the_parallel_penalty_follows_from_the_printed_times) {
  for (const auto& one : times) EXPECT_NEAR(one.parallel - one.sequential / most_cores, one.penalty, 1e-12);
}

TEST(karatsuba, the_serial_fraction_follows_from_the_printed_times) {
  for (const auto& one : times)
    EXPECT_NEAR(serial_fraction(one.parallel, one.sequential, most_cores), one.serial, 5e-6);
}

TEST(karatsuba, the_serial_fraction_is_what_the_parallel_share_leaves_and_the_penalty_per_time_to_be_lost) {
  for (const auto& one : times) {
    const double f = serial_fraction(one.parallel, one.sequential, most_cores);
    EXPECT_NEAR(f, 1 - parallel_share(one.parallel, one.sequential, most_cores), 1e-15);
    EXPECT_NEAR(f, one.penalty / (one.sequential * (1 - 1.0 / most_cores)), 1e-14);
  }
}

TEST(karatsuba, the_serial_fraction_gives_the_parallel_time_back) {
  for (const auto& one : times) {
    const double f = serial_fraction(one.parallel, one.sequential, most_cores);
    EXPECT_NEAR(one.sequential * (f * (1 - 1.0 / most_cores) + 1.0 / most_cores), one.parallel, 1e-13);
  }
}

TEST(karatsuba, the_quotient_that_the_print_calls_speedup_is_its_reciprocal) {
  for (const auto& one : times) {
    EXPECT_LT(one.parallel / one.sequential, 1);  // the print calls this the absolute speedup
    EXPECT_GT(one.sequential / one.parallel, 7.4);
    EXPECT_LT(one.sequential / one.parallel, most_cores);
  }
}

TEST(karatsuba, time_grows_as_n_to_the_binary_logarithm_of_three) {
  // Four times the size: 4^log2(3) = 9. The times have three digits, whose rounding alone is 0.05 %.
  EXPECT_NEAR(times[3].sequential / times[0].sequential, 9, 0.01);
  const double exponent = std::log(times[3].sequential / times[0].sequential) / std::log(4);
  EXPECT_NEAR(exponent, std::log2(3), 0.0005);
}

TEST(karatsuba, as_divide_and_conquer_eight_cores_do_ideally_an_eighth) {
  const skeleton form{skeleton::form::divide_and_conquer, 3};
  const double exponent = std::log(times[3].sequential / times[0].sequential) / std::log(4);
  const double ideal = times[3].sequential * std::pow(form.leaf(64000, most_cores) / 64000, exponent);
  EXPECT_NEAR(ideal, times[3].sequential / most_cores, 0.001 * ideal);
}

TEST(karatsuba, the_estimator_learns_the_printed_times) {
  for (const char* name : {"parallel-penalty", "parallel-penalty:p", "parallel-penalty:spline"}) {
    const auto model = make_estimator(name, degree{2});
    for (const int i : {0, 3}) {
      const double n = i == 0 ? 16000 : 64000;
      model->observe(seen(n, 1, times[i].sequential));
      model->observe(seen(n, most_cores, times[i].parallel));
    }
    EXPECT_NEAR(model->describe().alpha, 1 - times[3].serial, 5e-6) << name;
    EXPECT_NEAR(model->predict(16000, most_cores).mean, 1.29, 1e-9) << name;
    EXPECT_NEAR(model->predict(64000, most_cores).mean, 11.86, 1e-9) << name;
  }
}

}  // namespace
}  // namespace weir::test
