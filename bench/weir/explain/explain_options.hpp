#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scheduler/machine/topology.hpp"

namespace weir::command {

// `weir explain` as it was typed.
struct explain_options {
  std::string observations;
  std::optional<std::string> component;
  std::string clusters = "auto";
  std::string machine = "local";
  std::uint64_t seed = 1;
  bool log = false, linear = false;
  bool json = false;
};

// What will be done: every option checked and every default in its place. Plain data.
struct explain_plan {
  static constexpr int most_clusters = 12;

  std::string observations;
  std::optional<std::string> component;  // that one only
  int clusters = 0;                      // 0: as many as the data are worth
  topology cores;                        // that the run had
  std::uint64_t seed = 1;
  bool log_time = true;
  bool json = false;
};

// Throws bad_input for the first thing that cannot be. Reads no file.
explain_plan plan_of(const explain_options& typed);

}  // namespace weir::command
