#pragma once

#include "components/matrix/matrix.hpp"

namespace components {

// Products of two dense matrices. All of these may be called from any thread and many at once; the parallel ones run on
// the task arena of the caller and give each of its cores an equal share of the rows, from one row a core upwards.
//
// Every entry is the sum over k = 0, 1, 2, .. of a(i, k) * b(k, j), added in that order to a double that starts at
// zero, without fused multiply-add: so all of them give the same bits as multiply_sequential on any number of cores.
//
// All throw std::invalid_argument, naming both shapes, when a has not as many columns as b has rows.

// The textbook loops i, j, k on the calling thread: the reference the others are held to.
matrix multiply_sequential(const matrix& a, const matrix& b);

// Parallel over rows, loops i, k, j: one row of b is added to one row of the result at a time, so memory is read in the
// order it lies. Not i, j, k, which walks down the columns of b: on cores with 2 MB of L2 that took 0.72 ns a step at
// N = 600, 1.7 at N = 800 and 2.4 at N = 512, where i, k, j took 0.4 to 0.5 at all of them. Its cost follows the
// caches, that of i, k, j follows N^3.
matrix multiply_naive(const matrix& a, const matrix& b);

// Parallel over rows, in tiles of Block x Block that are used again while they are in the cache. Any size; the tiles at
// the edges are smaller. Defined for Block 16, 32 and 64 (2, 8 and 32 kB a tile).
template <int Block>
matrix multiply_blocked(const matrix& a, const matrix& b);

extern template matrix multiply_blocked<16>(const matrix& a, const matrix& b);
extern template matrix multiply_blocked<32>(const matrix& a, const matrix& b);
extern template matrix multiply_blocked<64>(const matrix& a, const matrix& b);

}  // namespace components
