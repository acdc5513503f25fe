#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/support/output_file.hpp"
#include "bench/weir/common/report_file.hpp"
#include "bench/weir/simulate/scenario_file.hpp"
#include "bench/weir/simulate/simulate_policies.hpp"

namespace weir::program {

// The command line of `weir simulate`.
struct simulate_options {
  std::string scenario;
  std::vector<std::string> policies{"all"};
  std::int64_t seed = 1;
  std::int64_t repeat = 1;
  std::optional<std::int64_t> width, cores;
  std::string objective = "throughput", estimator = "weir";
  std::optional<std::string> models;
  std::vector<std::string> controller;  // NAME=VALUE
  std::optional<std::string> report, timeline, machines;
  bool decisions = false, json = false;
};

// The work to do, with every option checked. Plain data.
struct simulate_plan {
  std::string path;
  scenario_file file;
  std::vector<std::string> policies;  // names, each once; "all" is expanded
  std::vector<std::uint64_t> seeds;
  std::string objective;  // as typed; `own` has the parsed form
  own_settings own;
  bool decisions = false;  // printed however many they are
  std::optional<report_file> report;
  std::optional<output_file> timeline;
  std::vector<int> machines;  // how many, for each table; empty: the scenario has none
  bool json = false;
  bool interrupted = false;  // it was cut short, and the report covers only a part
};

// Throws bad_input for the first invalid option.
simulate_plan plan_of(const simulate_options& typed);

}  // namespace weir::program
