#pragma once

#include <cstdint>

#include "components/matrix/matrix.hpp"

namespace components {

// Freivalds' check (R. Freivalds, Fast probabilistic algorithms, 1979): whether c is the product of a and b, in O(N^2)
// instead of O(N^3), on the calling thread. Each of `vectors` times it draws r with entries +1 and -1 (std::mt19937_64
// seeded with `seed`) and compares c * r with a * (b * r).
//
// The two may differ in row i by (2K + 2M + 4) u (|a| |b| 1)_i, with u = 2^-53, K the columns of a and M those of b.
// That bounds the rounding errors of c, c * r and a * (b * r) together. The following holds if no product of entries
// underflows and no sum of magnitudes overflows.
//
// A right product is never refused, whatever the order of summation was. A single entry that is wrong by more than
// twice that bound is always found: its error meets +1 or -1, never 0. With N = 1000 and entries in [0, 1) that is an
// error of 2.3e-7 in an entry of about 250. One vector misses errors that cancel within a row with probability at most
// 1/2, so all vectors together with at most 2^-vectors. A NaN or an infinity in c is always found.
//
// A c of the wrong shape is not the product. Throws std::invalid_argument if a and b do not fit, naming both shapes, or
// if vectors is less than 1.
bool is_product(const matrix& a, const matrix& b, const matrix& c, int vectors, std::uint64_t seed);

}  // namespace components
