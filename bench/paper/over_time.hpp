#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "bench/paper/offline.hpp"

namespace weir::paper {

// Predictions along one stream of observations, each made before its observation is learnt. Pure numbers; any thread
// may call.
//
//   first_fit        extended-amdahl, fitted once to the first pass over the points, then never changed
//   first_fit_small  the same, but the first pass had only the smaller half of the range of x
//   incremental      extended-amdahl-online: section 3.4 of Verstraaten & Scholz
//   weir             weir's own estimator
enum class way { first_fit, first_fit_small, incremental, weir };
inline constexpr std::size_t ways = 4;
inline constexpr std::array<const char*, ways> way_names{"first fit", "first fit (small x)", "incremental", "weir"};

// The prediction of each way for each row, seconds. NaN before it was fitted or has seen anything.
struct foretold {
  std::vector<std::array<double, ways>> seconds;
  std::size_t first_pass = 0;  // rows before the second pass
};
foretold foretell(const std::vector<timed_row>& rows);

// Medians of |T^ - T| over the rows of each of `count` equal stretches of the stream; NaN if a row had no prediction.
struct stretch {
  std::size_t end = 0;  // rows up to here
  std::array<double, ways> percent{}, seconds{};
};
std::vector<stretch> stretches(const std::vector<timed_row>& rows, const foretold& by, std::size_t count);

// Errors |T^ - T| / T in percent of the rows after the first pass with x >= `smallest_x`.
std::vector<double> later_errors(const std::vector<timed_row>& rows, const foretold& by, way who, double smallest_x);

}  // namespace weir::paper
