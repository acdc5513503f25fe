#include "components/natural/natural.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "components/natural/rabin_miller.hpp"
#include "components/natural/random_natural.hpp"

namespace components {
namespace {

TEST(natural, has_no_zeros_at_the_end_so_equal_numbers_are_equal) {
  EXPECT_EQ(natural({5, 0, 0}), natural({5}));
  EXPECT_EQ(natural({0, 0}), natural());
  EXPECT_EQ(natural({0, 0}).size(), 0);
  EXPECT_NE(natural({5, 1}), natural({5}));
}

TEST(natural, counts_its_bits) {
  EXPECT_EQ(natural().bits(), 0);
  EXPECT_EQ(natural({1}).bits(), 1);
  EXPECT_EQ(natural({~std::uint64_t{0}}).bits(), 64);
  EXPECT_EQ(natural({0, 1}).bits(), 65);
}

TEST(natural, a_random_one_has_exactly_the_bits_asked_for_and_depends_on_the_seed_alone) {
  for (std::int64_t bits = 0; bits <= 200; ++bits) {
    EXPECT_EQ(random_natural(bits, 3).bits(), bits);
    EXPECT_EQ(random_natural(bits, 3), random_natural(bits, 3));
  }
  EXPECT_NE(random_natural(100, 3), random_natural(100, 4));
  EXPECT_THROW(random_natural(-1, 1), std::invalid_argument);
}

// The C++ standard specifies the 10000th number of mt19937_64 with its default seed, 5489; this is its first one.
TEST(natural, a_random_one_is_the_same_on_every_machine) {
  EXPECT_EQ(random_natural(128, 5489).limbs().front(), 14514284786278117030u);
}

TEST(natural, a_random_prime_is_a_prime_of_exactly_the_bits_asked_for) {
  for (const std::int64_t bits : {2, 3, 4, 5, 8, 31, 63, 64, 65, 128, 300}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const natural prime = random_prime(bits, seed);
      EXPECT_EQ(prime.bits(), bits);
      EXPECT_TRUE(rabin_miller_sequential(prime, 20, 1).probably_prime) << bits << " bits, seed " << seed;
    }
  }
  EXPECT_THROW(random_prime(1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace components
