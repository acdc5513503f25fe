#pragma once

#include <cstdint>

#include "components/natural/natural.hpp"

namespace components {

// A number of exactly that many bits, those below the highest drawn limb by limb from std::mt19937_64 seeded with
// `seed`: the same with every compiler and library. Throws std::invalid_argument when bits is negative.
natural random_natural(std::int64_t bits, std::uint64_t seed);

// The first prime after random_natural(bits, seed), or after that of the next seed should this one have more bits. As
// sure as mpz_nextprime of GMP is: a composite passes its 25 rounds with a chance far below that of a broken machine.
// On the calling thread; one of 2,048 bits took 50 ms, others take as long as their gap is wide. Throws
// std::invalid_argument when bits is less than 2.
natural random_prime(std::int64_t bits, std::uint64_t seed);

}  // namespace components
