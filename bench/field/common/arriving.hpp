#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/field/common/arrival_clock.hpp"

namespace CLI {
class App;
}

namespace weir::field_bench {

// One way to handle items that arrive.
struct arrival_way {
  std::string name;
  // Handles that many items, which arrive by these times, or are all there without times. Throws where an answer is
  // wrong.
  std::function<run_times(std::size_t items, const std::vector<double>& arrivals)> run;
};

// Which arrivals are measured.
struct arrival_settings {
  std::vector<std::string> patterns;
  std::vector<int> loads{50, 80, 110};  // percent of the first way's items a second
  double seconds = 4;                   // of a run, about
};

// The options --pattern, --load and --seconds.
void add_arrival_options(CLI::App& app, arrival_settings& asked);

// Measures all ways under each pattern and load in rounds, in an order that rotates. Each round begins with the first
// way on items that are all there. The rate of arrivals of this round is the load's part of its items a second: a
// shared machine is not always as fast. `items_per_second` says how many items a run has, about. Prints a row for each
// way where `is_printed`: over the rate, p50 and p99 of the latencies, medians of the rounds, and the range of p99.
// REQUIRES: at least one way and one round.
nlohmann::ordered_json measured_arrivals(const std::vector<arrival_way>& ways, const arrival_settings& asked,
                                         int rounds, double items_per_second, bool is_printed);

}  // namespace weir::field_bench
