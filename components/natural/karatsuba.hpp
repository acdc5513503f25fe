#pragma once

#include "components/natural/natural.hpp"

namespace components {

// Products of two natural numbers. Both may be called from any thread and many at once, and give the same bits.

// Karatsuba's multiplication (A. Karatsuba, Yu. Ofman, Multiplication of many-digit numbers by automatic computers,
// 1962; in the form with differences, D. E. Knuth, The Art of Computer Programming 2, section 4.3.3): of numbers a and
// b of n limbs, cut in halves a1 2^k + a0 and b1 2^k + b0, three products of half the length are enough,
//   a b = a1 b1 2^2k + (a1 b1 + a0 b0 - (a0 - a1) (b0 - b1)) 2^k + a0 b0.
// They are computed in parallel on the task arena of the caller, and theirs in turn, from 256 limbs upwards; below that
// one core goes on alone, and below 32 limbs GMP does, at that length by the schoolbook method. Of numbers of different
// length the longer is cut in pieces of the length of the shorter.
//
// Cost: n^log2(3), which is n^1.585 and no polynomial in n. Predictor: n^log2(3) of the limbs n of either factor, with
// degree 1, which is the law itself. Or n with degree 2: a polynomial with c_1 and c_2 stays close within the sizes
// that were seen and less so beyond them; measured, its errors are about the same in the median and larger at the 95th
// percentile (bench/measurements). The differences before and the sums after the three products, O(n), stay on one core,
// so the parallel share is below 1.
natural multiply_karatsuba(const natural& a, const natural& b);

// GMP's product on the calling thread: the reference the other is held to.
natural multiply_sequential(const natural& a, const natural& b);

}  // namespace components
