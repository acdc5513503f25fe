#pragma once

#include "components/matrix/matrix.hpp"

namespace components {

// The product of two dense matrices on `threads` OpenMP threads, including the calling one: an example of a library
// with its own threads. Loops and sums are those of multiply_naive, so it gives the bits of multiply_sequential. May be
// called from any thread, and by many at the same time. Each caller has OpenMP threads of its own, which stay for its
// next call and end with the caller. They are not oneTBB's threads; the caller and the system decide which cores they
// run on.
//
// Predictor N, degree 3, as multiply_naive. Throws std::invalid_argument if a has not as many columns as b has rows,
// naming both shapes, or if threads is less than 1.
matrix multiply_openmp(const matrix& a, const matrix& b, int threads);

}  // namespace components
