#pragma once

#include "components/matrix/matrix.hpp"

namespace components {

// The product of two dense matrices on `threads` threads of OpenMP, the calling one among them: what a library that
// threads by itself looks like. Loops and sums as multiply_naive, so the same bits as multiply_sequential. Any thread
// may call it, and many at once; each caller has threads of its own, which stay for its next call and which end with
// it. They are not those of oneTBB, and which cores they run on is between the caller and the system.
//
// Predictor N, degree 3, as multiply_naive. Throws std::invalid_argument when a has not as many columns as b has rows,
// naming both shapes, or when threads is less than 1.
matrix multiply_openmp(const matrix& a, const matrix& b, int threads);

}  // namespace components
