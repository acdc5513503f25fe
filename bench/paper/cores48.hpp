#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/weir/common/fit_data.hpp"
#include "scheduler/simulate/cost_truth.hpp"

namespace weir::paper {

// A machine of 48 cores whose truth is known, in place of the one that Verstraaten and Scholz had. Costs resemble those
// of the kernels of components/: Tseq is cubic, near a nanosecond for each of N^3 steps, alpha 0.97 to 0.98. The
// blocked kernels cost more once a matrix of 8 N^2 bytes no longer fits a cache of 2 MB (N > 512) or of 32 MB (N >
// 2000). Pure numbers; any thread may call.
struct cores48 {
  static constexpr double noise = 0.005;  // seconds, one standard deviation of the normal noise on each time
  static constexpr int passes = 10;       // observations of each point

  static const std::vector<int>& cores();  // 1, 2, 4, .. 47: one core is the system's own

  // 28 from 50 to 2500, closer where x is small: with 8 numbers of cores 224 points, which is as many as the offline
  // estimators keep without merging any (240).
  static const std::vector<double>& sizes();

  // Of naive, blocked16, blocked32, blocked64. REQUIRES: `kernel` is one of them.
  static simulation::law_cost cost(const std::string& kernel);

  // Each point once in each pass, in an order that the seed shuffles. Times are positive: one that is not is drawn
  // again.
  static std::vector<command::timed_row> observe(const simulation::law_cost& truth, double noise_seconds,
                                                 std::uint64_t seed);
};

}  // namespace weir::paper
