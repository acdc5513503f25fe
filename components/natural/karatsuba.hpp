#pragma once

#include "components/natural/natural.hpp"

namespace components {

// Products of two natural numbers. Both may be called from any thread, by many together, and give the same bits.

// Karatsuba's multiplication (A. Karatsuba, Yu. Ofman, Multiplication of many-digit numbers by automatic computers,
// 1962; in the form with differences of D. E. Knuth, The Art of Computer Programming 2, section 4.3.3). Numbers a and b
// of n limbs are cut into halves a1 2^k + a0 and b1 2^k + b0. Three products of half the length are then enough:
//   a b = a1 b1 2^2k + (a1 b1 + a0 b0 - (a0 - a1) (b0 - b1)) 2^k + a0 b0.
// They are computed in parallel on the caller's task arena, recursively down to 256 limbs. Below 256 limbs one core
// continues alone, and below 32 limbs GMP multiplies, at that length by the schoolbook method. If the numbers differ in
// length, the longer one is cut into pieces of the length of the shorter.
//
// Cost: n^log2(3) = n^1.585, which is not a polynomial in n. Predictor: n^log2(3) of the limbs n of either factor, with
// degree 1, which is the law itself. An alternative is n with degree 2: a polynomial with c_1 and c_2 stays close
// within the observed sizes and less so beyond them. Its measured errors are about the same in the median and larger at
// the 95th percentile (bench/measurements). The differences before and the sums after the three products, O(n), stay on
// one core, so the parallel share is below 1.
natural multiply_karatsuba(const natural& a, const natural& b);

// GMP's product on the calling thread: the reference for multiply_karatsuba.
natural multiply_sequential(const natural& a, const natural& b);

}  // namespace components
