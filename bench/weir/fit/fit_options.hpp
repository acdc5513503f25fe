#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/support/output_file.hpp"

namespace weir::program {

// The command line of `weir fit`. Empty: not given.
struct fit_options {
  std::string observations;
  std::string estimator = "weir";
  std::string degree;
  std::string time = "wall";
  std::optional<std::string> test, save;
  bool online = false;
  bool json = false;
};

// The requested degree of the polynomial Tseq of each component.
struct asked_degrees {
  // Degree 3 fits a multiplication of N x N matrices, the most expensive of the usual components. For cheaper
  // components the non-negative coefficients use the lower powers.
  static constexpr int otherwise = 3;

  std::optional<int> for_all;
  std::map<std::string, int> by_name;
};

// The work to do, with every option checked and every default filled in. Plain data.
struct fit_plan {
  std::string observations;
  std::optional<std::string> test;
  std::vector<std::string> estimators;  // several: all estimators, to be compared
  bool all = false;                     // the user typed "all"
  asked_degrees degrees;
  bool cpu_time = false;  // cpu_seconds in place of seconds
  bool online = false;
  std::optional<output_file> save;
  bool json = false;
};

// Throws bad_input for the first invalid option. Reads no file, and touches none before everything else is checked.
fit_plan plan_of(const fit_options& typed);

}  // namespace weir::program
