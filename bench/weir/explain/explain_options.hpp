#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <weir/scheduler/machine/topology.hpp>

namespace weir::program {

// The command line of `weir explain`.
struct explain_options {
  std::string observations;
  std::optional<std::string> component;
  std::string clusters = "auto";
  std::string machine = "local";
  std::uint64_t seed = 1;
  bool log = false, linear = false;
  bool json = false;
};

// The work to do, with every option checked and every default filled in. Plain data.
struct explain_plan {
  static constexpr int most_clusters = 12;

  std::string observations;
  std::optional<std::string> component;  // only this component
  int clusters = 0;                      // 0: as many as the data support
  topology cores;                        // of the run's machine
  std::uint64_t seed = 1;
  bool log_time = true;
  bool json = false;
};

// Throws bad_input for the first invalid option. Reads no file.
explain_plan plan_of(const explain_options& typed);

}  // namespace weir::program
