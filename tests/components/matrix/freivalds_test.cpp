#include "components/matrix/freivalds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>

#include "components/matrix/matrix.hpp"
#include "components/matrix/multiply.hpp"

namespace components {
namespace {

// A right product is accepted for all vectors and sizes: the bound on rounding always holds.
TEST(freivalds, accepts_every_right_product) {
  for (const std::int64_t n : {0, 1, 2, 3, 10, 33, 64, 101, 250}) {
    const matrix a = random_matrix(n, 11);
    const matrix b = random_matrix(n, 12);
    const matrix c = multiply_naive(a, b);
    for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_TRUE(is_product(a, b, c, 3, seed)) << n << ", " << seed;
  }
}

// The same, summed backwards and with entries of very different magnitude and sign, the worst case for rounding.
TEST(freivalds, accepts_right_products_summed_in_another_order) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-40, 40);
  const std::size_t n = 60;
  matrix a(n, n), b(n, n), c(n, n);
  for (std::size_t i = 0; i < n * n; ++i) {
    a.data()[i] = std::ldexp(mantissa(generator), exponent(generator));
    b.data()[i] = std::ldexp(mantissa(generator), exponent(generator));
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = n; k-- > 0;) c(i, j) += a(i, k) * b(k, j);
    }
  }
  for (std::uint64_t seed = 0; seed < 50; ++seed) EXPECT_TRUE(is_product(a, b, c, 3, seed)) << seed;
}

// A single vector finds one wrong entry, at any place and however small (4e-9 of its value here).
TEST(freivalds, always_finds_a_single_wrong_entry) {
  const matrix a = random_matrix(50, 21);
  const matrix b = random_matrix(50, 22);
  const matrix right = multiply_naive(a, b);
  std::mt19937_64 generator(7);
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    matrix wrong = right;
    wrong(generator() % 50, generator() % 50) += seed % 2 == 0 ? 5e-8 : -5e-8;
    ASSERT_FALSE(is_product(a, b, wrong, 1, seed)) << seed;
  }
}

// Two errors in a row that cancel for half of the vectors: one vector finds about half of them, twenty all but one in a
// million. The seeds are fixed, and the draws are the same everywhere.
TEST(freivalds, misses_cancelling_errors_with_one_half_a_vector) {
  const matrix a = random_matrix(50, 31);
  const matrix b = random_matrix(50, 32);
  matrix wrong = multiply_naive(a, b);
  wrong(13, 4) += 1;
  wrong(13, 29) -= 1;
  int found_by_one = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    found_by_one += is_product(a, b, wrong, 1, seed) ? 0 : 1;
    EXPECT_FALSE(is_product(a, b, wrong, 20, seed)) << seed;
  }
  EXPECT_GT(found_by_one, 60);
  EXPECT_LT(found_by_one, 140);
}

TEST(freivalds, finds_what_is_no_number) {
  const matrix a = random_matrix(20, 1);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    matrix wrong = multiply_naive(a, a);
    wrong(19, 0) = bad;
    EXPECT_FALSE(is_product(a, a, wrong, 1, 1));
  }
}

TEST(freivalds, a_wrong_shape_is_not_the_product) {
  EXPECT_FALSE(is_product(matrix(2, 3), matrix(3, 4), matrix(2, 3), 1, 1));
  EXPECT_TRUE(is_product(matrix(2, 3), matrix(3, 4), matrix(2, 4), 1, 1));
}

TEST(freivalds, refuses_factors_that_do_not_fit_and_no_vectors) {
  EXPECT_THROW(is_product(matrix(2, 3), matrix(4, 5), matrix(2, 5), 1, 1), std::invalid_argument);
  EXPECT_THROW(is_product(matrix(2, 2), matrix(2, 2), matrix(2, 2), 0, 1), std::invalid_argument);
}

}  // namespace
}  // namespace components
