#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/weir/common/fit_data.hpp"
#include "scheduler/simulate/cost_truth.hpp"

namespace weir::paper {

// A 48-core machine with a known truth, in place of the machine of Verstraaten and Scholz. Costs resemble those of the
// kernels in components/: Tseq is cubic, about a nanosecond for each of N^3 steps, and alpha is 0.97 to 0.98. The
// blocked kernels cost more once a matrix of 8 N^2 bytes exceeds a cache of 2 MB (N > 512) or of 32 MB (N > 2000). Pure
// numbers; any thread may call.
struct cores48 {
  static constexpr double noise = 0.005;  // seconds, one standard deviation of the normal noise on each time
  static constexpr int passes = 10;       // observations of each point

  static const std::vector<int>& cores();  // 1, 2, 4, .. 47: one core is left to the system

  // 28 sizes from 50 to 2500, closer together for small x. With 8 numbers of cores these are 224 points. The offline
  // estimators keep up to 240 without merging any.
  static const std::vector<double>& sizes();

  // The cost of naive, blocked16, blocked32 or blocked64. REQUIRES: `kernel` is one of them.
  static simulation::law_cost cost(const std::string& kernel);

  // Each point once per pass, in an order that the seed shuffles. Times are positive: others are drawn again.
  static std::vector<program::timed_row> observe(const simulation::law_cost& truth, double noise_seconds,
                                                 std::uint64_t seed);
};

}  // namespace weir::paper
