#include "components/natural/random_natural.hpp"

#include <gmpxx.h>

#include <random>
#include <stdexcept>
#include <string>

#include "components/natural/natural_mpz.hpp"

namespace components {

natural random_natural(std::int64_t bits, std::uint64_t seed) {
  if (bits < 0) throw std::invalid_argument("random_natural: " + std::to_string(bits) + " bits are negative");
  std::vector<std::uint64_t> limbs(static_cast<std::size_t>((bits + 63) / 64));
  std::mt19937_64 generator(seed);
  for (std::uint64_t& limb : limbs) limb = generator();
  if (!limbs.empty()) {
    const auto highest = static_cast<unsigned>((bits - 1) % 64);
    limbs.back() &= ~std::uint64_t{0} >> (63 - highest);
    limbs.back() |= std::uint64_t{1} << highest;
  }
  return natural(std::move(limbs));
}

natural random_prime(std::int64_t bits, std::uint64_t seed) {
  if (bits < 2) throw std::invalid_argument("random_prime: no prime has " + std::to_string(bits) + " bits");
  for (;; ++seed) {
    mpz_class prime = to_mpz(random_natural(bits, seed));
    mpz_nextprime(prime.get_mpz_t(), prime.get_mpz_t());
    if (natural result = to_natural(prime); result.bits() == static_cast<std::size_t>(bits)) return result;
  }
}

}  // namespace components
