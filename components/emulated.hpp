#pragma once

#include <vector>

namespace components {

// The cost of an emulated component, by the extended Amdahl law T(x, p) = alpha Tseq(x) / p + (1 - alpha) Tseq(x), with
// Tseq(x) = sum_i coefficients[i] x^i in seconds. Plain data.
struct truth {
  std::vector<double> coefficients;
  double alpha = 1;  // the share of the work that is divided among the cores, in [0, 1]

  double sequential_seconds(double x) const;

  // T(x, p). Throws std::invalid_argument with the reason if alpha is not in [0, 1], cores is less than 1, or the
  // result is not a finite number of seconds >= 0.
  double seconds(double x, int cores) const;
};

// Takes the time of `cost` and uses no core: the calling thread sleeps once for T(x, p), counted from the call. So one
// core can emulate a machine with any number of cores. May be called from any thread.
//
// It never takes less than T. It takes longer by the time that the system needs to wake a thread. On two shared virtual
// cores, in a thousand sleeps of a few milliseconds, the median was 0.13 ms. It was 0.5 ms in 99 of 100 and 1.8 ms at
// most.
//
// Throws as truth::seconds does, and std::invalid_argument for more than 1e9 seconds.
void emulate(const truth& cost, double x, int cores);

}  // namespace components
