#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/support/output_file.hpp"

namespace weir::command {

// `weir fit` as it was typed. What is empty was not given.
struct fit_options {
  std::string observations;
  std::string estimator = "weir";
  std::string degree;
  std::string time = "wall";
  std::optional<std::string> test, save;
  bool online = false;
  bool json = false;
};

// Which degree the polynomial Tseq of each component was asked to have.
struct asked_degrees {
  // A multiplication of N x N matrices, the dearest of the usual components, is of degree 3; non-negative coefficients
  // let what is cheaper take the lower powers.
  static constexpr int otherwise = 3;

  std::optional<int> for_all;
  std::map<std::string, int> by_name;
};

// What will be done: every option checked and every default in its place. Plain data.
struct fit_plan {
  std::string observations;
  std::optional<std::string> test;
  std::vector<std::string> estimators;  // several: all there are, to be compared
  bool all = false;                     // asked for by "all"
  asked_degrees degrees;
  bool cpu_time = false;  // cpu_seconds in place of seconds
  bool online = false;
  std::optional<output_file> save;
  bool json = false;
};

// Throws bad_input for the first thing that cannot be. Reads no file, and touches none before everything else is right.
fit_plan plan_of(const fit_options& typed);

}  // namespace weir::command
