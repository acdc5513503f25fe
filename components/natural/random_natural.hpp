#pragma once

#include <cstdint>

#include "components/natural/natural.hpp"

namespace components {

// A number of exactly that many bits. The bits below the highest are drawn limb by limb from std::mt19937_64 seeded
// with `seed`, the same with every compiler and library. Throws std::invalid_argument if bits is negative.
natural random_natural(std::int64_t bits, std::uint64_t seed);

// The first prime after random_natural(bits, seed). If that prime has more bits, the next seed is tried. It is as
// certain as GMP's mpz_nextprime: a composite passes its 25 rounds far less often than hardware fails. Runs on the
// calling thread. One of 2,048 bits took 50 ms; the time grows with the gap to the prime. Throws std::invalid_argument
// if bits is less than 2.
natural random_prime(std::int64_t bits, std::uint64_t seed);

}  // namespace components
