#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/support/output_file.hpp"
#include "bench/weir/simulate/scenario_file.hpp"

namespace weir::command {

// `weir simulate` as it was typed.
struct simulate_options {
  std::string scenario;
  std::vector<std::string> policies{"all"};
  std::int64_t seed = 1;
  std::int64_t repeat = 1;
  std::optional<std::int64_t> width;
  std::optional<std::string> report;
  bool json = false;
};

// What will be done: every option checked. Plain data.
struct simulate_plan {
  std::string path;
  scenario_file file;
  std::vector<std::string> policies;  // names, each once; "all" written out
  std::vector<std::uint64_t> seeds;
  std::optional<int> width;
  std::optional<output_file> report;
  bool json = false;
  bool interrupted = false;  // it was to end early, and what is reported is not all that was asked for
};

// Throws bad_input for the first thing that cannot be.
simulate_plan plan_of(const simulate_options& typed);

}  // namespace weir::command
