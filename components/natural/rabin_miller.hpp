#pragma once

#include <cstdint>

#include "components/natural/natural.hpp"

namespace components {

// What a Rabin-Miller test found. Plain data.
struct primality {
  bool probably_prime = false;  // false: certainly no prime
  int rounds = 0;               // the round that found a witness, from 1, or all of them; 0: none was needed

  bool operator==(const primality&) const = default;
};

// Whether n is prime, by Rabin's test (M. O. Rabin, Probabilistic algorithm for testing primality, Journal of Number
// Theory 12, 1980, after G. L. Miller, 1976): each round draws a base in [2, n - 2], from std::mt19937_64 seeded with
// `seed`, and asks whether it is a witness that n is composite. A prime has none; of a composite number at least three
// quarters of the bases are, so that it passes with a chance of at most 4^-rounds. Numbers below 4 and even ones need
// no round. The modular powers are GMP's.
//
// Both may be called from any thread and many at once. The parallel one is a speculative iteration (O. Lobachev,
// R. Loogen, Estimating parallel performance, a skeleton-based approach, HLPP 2010): on the task arena of the caller it
// runs batches of as many rounds as that has cores, as though none would end the test, and looks for the first witness
// only when the batch is done. So the answer is that of the loop on one core, the number of the round included, and
// rounds after the deciding one of its batch were run in vain.
//
// Cost: about `bits` multiplications of `bits`-bit numbers a round. Predictor: the bits of n, degree 3. That is for
// primes and a given number of rounds, all of which are run; a composite ends almost always in the first batch,
// whatever its size, and is another law, of one round. Rounds should be a multiple of the cores, since the last batch
// takes as long when it is not full: the speed-up is rounds / ceil(rounds / cores).
//
// Throw std::invalid_argument when rounds is less than 1.
primality rabin_miller(const natural& n, int rounds, std::uint64_t seed);

// One round after the other on the calling thread: the reference the other is held to.
primality rabin_miller_sequential(const natural& n, int rounds, std::uint64_t seed);

}  // namespace components
