#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/support/output_file.hpp"
#include "bench/weir/common/live_runs.hpp"
#include "bench/weir/common/named_policy.hpp"
#include "bench/weir/common/report_file.hpp"
#include "bench/weir/common/trace_file.hpp"
#include "runtime/machine/machine.hpp"
#include "runtime/options/measured_time.hpp"

namespace weir::command {

// The command line of `weir matmul`. Empty: not given.
struct matmul_options {
  std::string kernel = "naive";
  std::string sizes, sizes_list;
  std::string order = "shuffled";
  std::string time = "automatic";
  std::optional<int> repeat, rounds, width;
  std::vector<std::string> policies;
  std::string objective = "throughput";
  std::string cores;
  std::string machine;
  std::string estimator = "weir";
  std::uint64_t seed = 1;
  std::optional<std::string> out, save_model, report, trace;
  std::optional<int> live;  // a port
  bool json = false;
  bool mpi = false;  // on all ranks
};

// The work to do, with every option checked and every default filled in. Plain data.
struct matmul_plan {
  std::string kernel;
  bool emulated = false;
  std::vector<std::int64_t> sizes;   // as listed
  std::vector<std::int64_t> inputs;  // one per record, in the order of sending
  std::string order;
  measured_time time = measured_time::automatic;  // the time that models learn
  int repeat = 1;
  int rounds = 1;
  int max_width = 1;  // of each box; std::numeric_limits<int>::max() if unlimited
  std::vector<named_policy> policies;
  std::string objective;
  bool grid = false;  // --cores: one policy per number of cores, and the model learns from all of them
  weir::machine machine = weir::machine::local();
  std::string machine_text;
  std::string estimator;
  std::uint64_t seed = 1;
  std::optional<output_file> out, save_model;
  std::optional<report_file> report;
  std::optional<trace_file> trace;
  std::optional<live_runs> live;
  bool json = false;
  bool interrupted = false;  // it was cut short, and the report covers only a part

  int runs() const { return rounds * static_cast<int>(policies.size()); }
};

std::string name_of(measured_time time);  // "wall", as --time has it

// Throws bad_input for the first invalid option. Touches no file before everything else is checked.
matmul_plan plan_of(const matmul_options& typed);

}  // namespace weir::command
