#include "components/natural/karatsuba.hpp"
#include "components/natural/random_natural.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace components {
namespace {

natural of_limbs(std::size_t n, std::uint64_t seed) { return random_natural(64 * static_cast<std::int64_t>(n), seed); }

natural limbs_of_ones(std::size_t limbs) { return natural(std::vector<std::uint64_t>(limbs, ~std::uint64_t{0})); }

// A single bit is set: the halves are zero, or differ as much as possible.
natural power(std::size_t limbs) {
  std::vector<std::uint64_t> result(limbs);
  result.back() = std::uint64_t{1} << 63;
  return natural(result);
}

void expect_product(const natural& a, const natural& b) {
  const natural expected = multiply_sequential(a, b);
  EXPECT_TRUE(multiply_karatsuba(a, b) == expected) << a.size() << " by " << b.size() << " limbs";
  EXPECT_TRUE(multiply_karatsuba(b, a) == expected) << b.size() << " by " << a.size() << " limbs";
}

TEST(karatsuba, the_reference_is_the_product) {
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(multiply_sequential(natural({most}), natural({most})), natural({1, most - 1}));
  EXPECT_EQ(multiply_sequential(natural({7}), natural({1, 2, 3})), natural({7, 14, 21}));
}

TEST(karatsuba, agrees_with_gmp_at_every_size_up_to_150_limbs) {
  for (std::size_t n = 1; n <= 150; ++n) expect_product(of_limbs(n, 2 * n), of_limbs(n, 2 * n + 1));
}

TEST(karatsuba, agrees_with_gmp_where_tasks_begin_and_where_halves_are_odd) {
  for (const std::size_t n : {255, 256, 257, 511, 512, 513, 767, 1021, 1023, 1025, 2051}) {
    expect_product(of_limbs(n, n), of_limbs(n, n + 1));
  }
}

TEST(karatsuba, agrees_with_gmp_on_factors_of_different_length) {
  for (const std::size_t n : {1, 31, 32, 33, 64, 65, 300, 601}) {
    for (const std::size_t m : {1, 2, 31, 32, 33, 63, 97, 299, 599, 600}) {
      expect_product(of_limbs(n, 1), of_limbs(m, 2));
    }
  }
}

// Every possible carry and borrow.
TEST(karatsuba, agrees_with_gmp_when_all_bits_are_set_or_one) {
  for (const std::size_t n : {1, 2, 31, 32, 33, 65, 127, 128, 255, 257, 700, 1025}) {
    expect_product(limbs_of_ones(n), limbs_of_ones(n));
    expect_product(limbs_of_ones(n), power(n));
    expect_product(power(n), power(n));
    expect_product(limbs_of_ones(n), natural({1}));
    expect_product(limbs_of_ones(n), limbs_of_ones(n / 2 + 1));
    expect_product(limbs_of_ones(n), of_limbs(n, 1));
  }
}

TEST(karatsuba, of_zero_is_zero) {
  expect_product(natural(), natural());
  expect_product(natural(), natural({1}));
  expect_product(natural(), of_limbs(500, 1));
  EXPECT_EQ(multiply_karatsuba(natural(), of_limbs(500, 1)), natural());
}

// Zeros inside, so that halves are equal or all zero.
TEST(karatsuba, agrees_with_gmp_when_halves_are_equal_or_zero) {
  std::vector<std::uint64_t> twice = of_limbs(200, 1).limbs();
  twice.resize(400);
  std::copy_n(twice.begin(), 200, twice.begin() + 200);
  std::vector<std::uint64_t> sparse(400);
  sparse.front() = sparse[200] = sparse.back() = 1;
  expect_product(natural(twice), natural(twice));
  expect_product(natural(twice), natural(sparse));
  expect_product(natural(sparse), power(400));
}

TEST(karatsuba, gives_the_same_product_on_any_number_of_cores) {
  for (const int cores : {1, 2, 3, 8}) {
    tbb::task_arena arena(cores);
    arena.execute([] {
      expect_product(of_limbs(1500, 1), of_limbs(1500, 2));
      expect_product(of_limbs(1500, 1), of_limbs(400, 2));
    });
  }
}

}  // namespace
}  // namespace components
