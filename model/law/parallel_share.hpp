#pragma once

namespace weir {

// The serial fraction of Karp and Flatt. It follows from one time on p > 1 cores and the time on one core:
//
//   f = (T(n,p) / T(n) - 1/p) / (1 - 1/p).
//
// Source: O. Lobachev and R. Loogen, "Estimating Parallel Performance, A Skeleton-Based Approach", HLPP 2010. Erratum:
// the print calls T(n,p)/T(n) the absolute speedup, but it is the reciprocal of the speedup T(n)/T(n,p).
//
// REQUIRES: cores > 1, sequential > 0.
constexpr double serial_fraction(double seconds, double sequential, double cores) {
  return (seconds / sequential - 1 / cores) / (1 - 1 / cores);
}

// The parallel share alpha = 1 - f from one time on p > 1 cores, not clamped:
//
//   alpha = p / (p-1) * (1 - Tp / Tseq).
//
// Erratum: Verstraaten & Scholz, section 3.2, prints p/(1-p) * Tp/Tseq, which does not follow from
// Tp = alpha Tseq/p + (1-alpha) Tseq. An alpha above 1 makes times negative at large p, so callers clamp it to [0, 1].
//
// REQUIRES: cores > 1, sequential > 0.
constexpr double parallel_share(double seconds, double sequential, double cores) {
  return cores / (cores - 1) * (1 - seconds / sequential);
}

}  // namespace weir
