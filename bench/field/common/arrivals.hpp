#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weir::field_bench {

// constant, wave, spike, binary, increasing, decreasing: the frequency patterns of SPBench (Garcia et al., SPBench: a
// framework for creating benchmarks of stream processing applications, Computing 105, 2023), written anew.
std::vector<std::string> pattern_names();

// When each of `count` items arrives, in seconds, ascending, at a mean rate a second. The rate over time is, as a
// factor of the mean:
//
//   constant    1
//   wave        1 + 0.5 sin, four periods
//   spike       0.8, but 2.8 for a tenth of the time in the middle
//   binary      0.5 and 1.5 in turns, eight parts
//   increasing  from 0.5 to 1.5
//   decreasing  from 1.5 to 0.5
//
// Throws bad_input for another name.
std::vector<double> arrivals(const std::string& pattern, std::size_t count, double rate);

}  // namespace weir::field_bench
