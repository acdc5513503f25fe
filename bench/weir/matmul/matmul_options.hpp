#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <weir/options/measured_time.hpp>
#include <weir/options/saved_run.hpp>
#include "bench/support/output_file.hpp"
#include "bench/weir/common/live_runs.hpp"
#include "bench/weir/runs/runs_plan.hpp"

namespace weir::program {

// The command line of `weir matmul`. Empty: not given.
struct matmul_options : runs_options {
  std::string kernel = "naive";
  std::string sizes, sizes_list;
  std::string order = "shuffled";
  std::string time = "automatic";
  std::optional<int> repeat, width;
  int rounds = 1;
  std::vector<std::string> policies;
  std::string cores;
  std::optional<std::string> prior_models, save_model;
  std::optional<int> live;  // a port
  bool mpi = false;         // on all ranks
};

// The work to do, with every option checked and every default filled in. Plain data.
struct matmul_plan : runs_plan {
  std::string kernel;
  bool emulated = false;
  std::vector<std::int64_t> sizes;   // as listed
  std::vector<std::int64_t> inputs;  // one per record, in the order of sending
  std::string order;
  measured_time time = measured_time::automatic;  // the time that models learn
  int repeat = 1;
  int max_width = 1;  // of each box; std::numeric_limits<int>::max() if unlimited
  bool grid = false;  // --cores: one policy per number of cores, and the model learns from all of them
  std::map<std::string, saved_model> prior_models;  // of --prior-models with a file
  std::vector<saved_run> prior_runs;                // and with a folder
  std::optional<output_file> save_model;
  std::optional<live_runs> live;

  std::string predictor() const { return emulated ? "x" : "N"; }
};

std::string name_of(measured_time time);  // "wall", as --time has it

// Throws bad_input for the first invalid option. Touches no file before everything else is checked.
matmul_plan plan_of(const matmul_options& typed);

}  // namespace weir::program
