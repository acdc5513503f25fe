#pragma once

#include <vector>

namespace components {

// What an emulated component costs: the extended Amdahl law T(x, p) = alpha Tseq(x) / p + (1 - alpha) Tseq(x), with
// Tseq(x) = sum_i coefficients[i] x^i in seconds. Plain data.
struct truth {
  std::vector<double> coefficients;
  double alpha = 1;  // the share of the work that more cores divide, in [0, 1]

  double sequential_seconds(double x) const;

  // T(x, p). Throws std::invalid_argument saying what is wrong when alpha is not in [0, 1], when cores is less than 1,
  // or when the result is not a finite number of seconds >= 0.
  double seconds(double x, int cores) const;
};

// Costs what the truth says and uses no core: the calling thread sleeps for T(x, p) from the moment of the call, once,
// however many cores are meant. So a machine of any number of cores can be emulated on one. Any thread may call it.
//
// It never takes less than T. It takes more by what the system needs to wake a thread: of a thousand sleeps of a few
// milliseconds on a virtual machine of two shared cores, 0.13 ms in the median and 0.5 ms in 99 of 100, 1.8 ms at
// worst.
//
// Throws as truth::seconds does.
void emulate(const truth& cost, double x, int cores);

}  // namespace components
