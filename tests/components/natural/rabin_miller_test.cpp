#include "components/natural/rabin_miller.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "components/natural/karatsuba.hpp"
#include "components/natural/random_natural.hpp"

namespace components {
namespace {

natural number(std::uint64_t value) { return natural({value}); }

// 2^bits - 1.
natural all_ones(std::size_t bits) {
  std::vector<std::uint64_t> limbs(bits / 64, ~std::uint64_t{0});
  if (bits % 64 != 0) limbs.push_back((std::uint64_t{1} << (bits % 64)) - 1);
  return natural(limbs);
}

bool divides_none_below(std::uint64_t n) {
  for (std::uint64_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n >= 2;
}

TEST(rabin_miller, agrees_with_trial_division_up_to_2000) {
  for (std::uint64_t n = 0; n <= 2000; ++n) {
    EXPECT_EQ(rabin_miller(number(n), 20, n).probably_prime, divides_none_below(n)) << n;
  }
}

// 2^p - 1 is prime for these p (Mersenne), and not for the primes 11, 67 and 257.
TEST(rabin_miller, knows_numbers_of_mersenne) {
  for (const std::size_t p : {5, 7, 13, 31, 61, 89, 127, 521}) {
    EXPECT_EQ(rabin_miller(all_ones(p), 12, 1), (primality{true, 12})) << p;
  }
  for (const std::size_t p : {11, 67, 257}) EXPECT_FALSE(rabin_miller(all_ones(p), 12, 1).probably_prime) << p;
}

// Carmichael numbers pass Fermat's test for every base that is coprime to them.
TEST(rabin_miller, is_not_deceived_by_carmichael_numbers) {
  for (const std::uint64_t n : {561u, 1105u, 1729u, 2465u, 2821u, 6601u, 8911u, 825265u, 321197185u}) {
    EXPECT_FALSE(rabin_miller(number(n), 20, n).probably_prime) << n;
  }
}

TEST(rabin_miller, knows_numbers_of_several_limbs) {
  const natural p = random_prime(200, 1);
  const natural q = random_prime(150, 2);
  EXPECT_EQ(rabin_miller(p, 10, 3), (primality{true, 10}));
  EXPECT_FALSE(rabin_miller(multiply_sequential(p, q), 10, 3).probably_prime);
  EXPECT_EQ(rabin_miller(multiply_sequential(p, number(2)), 10, 3), (primality{false, 0}));
}

// For 49 only 6 of 46 bases are not witnesses, for 91 16 of 88, so the deciding round is not always the first. It is
// the same round as in the loop on one core, for all batch sizes.
TEST(rabin_miller, gives_the_answer_and_the_round_of_the_loop_on_any_number_of_cores) {
  int late = 0;
  int latest = 0;
  for (const int cores : {1, 2, 3, 4, 8}) {
    tbb::task_arena arena(cores);
    for (const std::uint64_t n : {25u, 49u, 65u, 91u, 703u, 1891u, 12403u, 97u, 101u, 9973u}) {
      for (std::uint64_t seed = 0; seed < 60; ++seed) {
        for (const int rounds : {1, 2, 5}) {
          const primality expected = rabin_miller_sequential(number(n), rounds, seed);
          EXPECT_EQ(arena.execute([&] { return rabin_miller(number(n), rounds, seed); }), expected)
              << n << ", seed " << seed << ", " << rounds << " rounds on " << cores;
          if (!expected.probably_prime && expected.rounds > 1) ++late;
          latest = std::max(latest, expected.rounds);
        }
      }
    }
  }
  EXPECT_GT(late, 100);
  EXPECT_EQ(latest, 5);
}

// Liars for a composite are rare: one round passes at most a quarter of the draws, for 91 16 of its 88 bases.
TEST(rabin_miller, one_round_lets_a_composite_pass_as_often_as_it_has_liars) {
  int passed = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) passed += rabin_miller(number(91), 1, seed).probably_prime;
  EXPECT_NEAR(passed, 2000 * 16 / 88, 60);  // three standard deviations are 52
}

TEST(rabin_miller, refuses_no_rounds) {
  EXPECT_THROW(rabin_miller(number(7), 0, 1), std::invalid_argument);
  EXPECT_THROW(rabin_miller_sequential(number(7), -1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace components
