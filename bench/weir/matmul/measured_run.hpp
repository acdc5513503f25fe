#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/weir/common/rank_runs.hpp"
#include "bench/weir/matmul/matmul_options.hpp"
#include "bench/weir/matmul/workload.hpp"
#include "model/observation.hpp"
#include "runtime/options/options.hpp"
#include "runtime/report/report.hpp"
#include "runtime/run/execution.hpp"

namespace weir::command {

// The outcome of one run of a workload. Plain data; times in seconds.
struct measured_run {
  std::string policy;  // as the user wrote it
  measured_time learnt_from = measured_time::automatic;
  int round = 1;
  double began = 0;    // seconds from the start of the command's first run
  double seconds = 0;  // from the first send to the last result read; the checks come afterwards
  run_report report;
  std::vector<observation> observations;  // of all components, in the order of learning
  std::vector<double> latencies;          // of each record, from the call of send to the result
  std::uint64_t products = 0, wrong = 0;  // the number checked, and the number found wrong
  std::map<std::string, saved_model> models;

  double throughput() const { return static_cast<double>(latencies.size()) / seconds; }
};

// Who follows a run while it goes on.
struct run_watchers {
  std::optional<tracer> trace;
  std::function<void(const execution&)> on_start;  // before the first record is sent
  std::function<void()> on_result;
};

// Runs the workload once: one thread sends every input as fast as it is taken, another reads. Results are kept and
// checked after the clock has stopped, so that the checks take no core from the measurement. Only if they hold more
// than 256 MB are they checked in between. Throws what the run throws, and std::runtime_error if a record is missing or
// out of order. At another rank than the first it serves until the run is over, and gives nothing. After Ctrl-C no more
// is sent; the run is then shorter, as `latencies` says, and may be empty.
measured_run measure(const workload& work, const matmul_plan& plan, const named_policy& chosen,
                     const std::map<std::string, saved_model>& prior, const run_watchers& watchers,
                     const rank_runs& ranks);

}  // namespace weir::command
