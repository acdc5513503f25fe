#pragma once

#include <algorithm>
#include <cmath>

namespace weir {

// How a component is parallel, as an algorithmic skeleton (Lobachev & Loogen, "Estimating Parallel Performance, A
// Skeleton-Based Approach"). It gives the ideal time: the time of p cores on a problem of size n if no time were lost,
// given the sequential time T(n). Plain data. With t(n) = T(n) / rounds(n), it is
//
//   ideal(n, p) = rounds(n) * t(leaf(n, p)) / parts(p).
//
// The skeletons are:
//
//   `map`                 T(n) / p. The work is divided.
//   `farm`                T(n / p). There are n tasks, and each core runs the program on n/p of them.
//   `iteration`           l t(l) / p. Here n = l counts rounds with a barrier between them. The predicted quantities
//                         are the time of one round and the time lost in one round.
//   `divide_and_conquer`  T(n / 2^d). A problem of size n is split into k problems of half the size. After d levels
//                         there are k^d problems of size n / 2^d, one for each core: p = k^d, d = log_k p. For k = 3
//                         this is Karatsuba's multiplication, whose T ~ n^(log2 3) makes it T(n)/p.
struct skeleton {
  enum class form { map, farm, iteration, divide_and_conquer };

  form kind = form::map;
  int branching = 3;  // k, of divide_and_conquer

  // At least 1, since less than one round does not exist.
  double rounds(double n) const { return kind == form::iteration ? std::max(n, 1.0) : 1.0; }

  // The problem size whose sequential time, divided by parts(), is the ideal time of a round.
  double leaf(double n, double cores) const {
    if (kind == form::farm) return n / cores;
    if (kind == form::divide_and_conquer) return n * std::pow(cores, -std::log(2) / std::log(branching));
    return n;
  }

  // The divisor of the sequential time of that size.
  double parts(double cores) const { return kind == form::map || kind == form::iteration ? cores : 1.0; }
};

}  // namespace weir
