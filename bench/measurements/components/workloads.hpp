#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weir::component_costs {

// One component at one size with a prepared input. `run` computes and keeps the answer, on the task arena of its
// caller. `is_right` checks that answer on the calling thread. For one thread at a time.
struct workload {
  std::string component;
  double x = 0;  // the predictor value
  std::function<void()> run;
  std::function<bool()> is_right;
};

inline constexpr int rabin_miller_rounds = 16;  // a multiple of 1, 2, 4, 8 and 16 cores, so every batch is full

// All components of components/ that compute, each at its sizes: the matrix multiplications, Gauss elimination,
// Rabin-Miller on primes, Karatsuba. Inputs depend on the seed alone.
std::vector<workload> make_workloads(std::uint64_t seed);

}  // namespace weir::component_costs
