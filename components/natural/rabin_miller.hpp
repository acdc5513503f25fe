#pragma once

#include <cstdint>

#include "components/natural/natural.hpp"

namespace components {

// The result of a Rabin-Miller test. Plain data.
struct primality {
  bool probably_prime = false;  // false: certainly not a prime
  int rounds = 0;               // the round that found a witness, from 1, or all rounds; 0: none was needed

  bool operator==(const primality&) const = default;
};

// Whether n is prime, by Rabin's test (M. O. Rabin, Probabilistic algorithm for testing primality, Journal of Number
// Theory 12, 1980, after G. L. Miller, 1976). Each round draws a base in [2, n - 2] from std::mt19937_64 seeded with
// `seed`, and asks whether it is a witness that n is composite. A prime has no witness. At least three quarters of a
// composite number's bases are witnesses, so it passes with a probability of at most 4^-rounds. Numbers below 4 and
// even ones need no round. The modular powers are GMP's.
//
// Both functions may be called from any thread, and by many at the same time. The parallel one is a speculative
// iteration (O. Lobachev, R. Loogen, Estimating parallel performance, a skeleton-based approach, HLPP 2010). On the
// caller's task arena it runs batches of as many rounds as the arena has cores, as though no round would end the test.
// It looks for the first witness only when a batch is done. So it gives the answer of the loop on one core, including
// the number of the round. Rounds of the batch after the deciding one are wasted.
//
// Cost: about `bits` multiplications of `bits`-bit numbers per round. Predictor: the bits of n, degree 3. That is for
// primes and a given number of rounds, all of which run. A composite almost always ends in the first batch, whatever
// its size, so its cost follows another law: one round. Rounds should be a multiple of the cores, since the last batch
// takes as long if it is not full: the speed-up is rounds / ceil(rounds / cores).
//
// Both throw std::invalid_argument if rounds is less than 1.
primality rabin_miller(const natural& n, int rounds, std::uint64_t seed);

// One round after the other on the calling thread: the reference for rabin_miller.
primality rabin_miller_sequential(const natural& n, int rounds, std::uint64_t seed);

}  // namespace components
