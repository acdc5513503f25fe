#pragma once

#include <algorithm>
#include <cmath>

namespace weir {

// How a component is parallel, as an algorithmic skeleton: what p cores would take of a problem of size n if nothing
// were lost, given the sequential time T(n) (Lobachev & Loogen, "Estimating Parallel Performance, A Skeleton-Based
// Approach"). Plain data. ideal(n, p) = rounds(n) * t(leaf(n, p)) / parts(p), where t(n) = T(n) / rounds(n).
//
//   map                 T(n) / p        the work is divided
//   farm                T(n / p)        n tasks are shared out: each core runs the program on n/p of them
//   iteration           l t(l) / p      n = l counts rounds with a barrier between them: the time of one round is what
//                                       is predicted, and the time lost in one round
//   divide_and_conquer  T(n / 2^d)      a problem of size n is split into k of half the size, so that d levels down
//   there
//                                       are k^d problems of size n / 2^d, one for each core: p = k^d, d = log_k p. With
//                                       k = 3 this is Karatsuba's multiplication, whose T ~ n^(log2 3) makes it T(n)/p.
struct skeleton {
  enum class form { map, farm, iteration, divide_and_conquer };

  form kind = form::map;
  int branching = 3;  // k, of divide_and_conquer

  // At least 1: less than one round there is not.
  double rounds(double n) const { return kind == form::iteration ? std::max(n, 1.0) : 1.0; }

  // The size whose sequential time is the ideal.
  double leaf(double n, double cores) const {
    if (kind == form::farm) return n / cores;
    if (kind == form::divide_and_conquer) return n * std::pow(cores, -std::log(2) / std::log(branching));
    return n;
  }

  // By what that time is divided.
  double parts(double cores) const { return kind == form::map || kind == form::iteration ? cores : 1.0; }
};

}  // namespace weir
