#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/weir/compare/compare_options.hpp"
#include "model/observation.hpp"
#include "runtime/engine/trace.hpp"
#include "runtime/report/report.hpp"

namespace weir::command {

// The outcome of one run of a workload. Plain data; times in seconds.
struct compared_run {
  std::string name, text;  // of the policy (compared_policy)
  int round = 1;
  double seconds = 0;                     // from the first send to the last result; the checks come afterwards
  std::vector<double> latencies;          // per result: from the call of send, or from when it was due or taken
  std::vector<observation> observations;  // of all components, in the order of learning
  run_report report;                      // a free-for-all has none: no names, no decisions
  std::vector<int> degrees;               // by component, the degree of its model
  std::uint64_t checked = 0, wrong = 0;

  double throughput() const { return static_cast<double>(latencies.size()) / seconds; }
  int moves() const;
  double cores_used() const;  // that components owned or shared, on average; NaN for a free-for-all
};

// Runs the workload once: one thread sends every input, another reads. For throughput, inputs are sent as fast as they
// are taken. For latency, the next one is sent when the result of the last is out. For an objective with a rate they
// are sent at random at that rate, and a latency counts from the moment when the record was due. Results are checked
// after the clock has stopped, and also in between when they hold more than 256 MB. Throws what the run throws, and
// std::runtime_error if a record is missing or came twice. After Ctrl-C no more is sent, and `latencies` is shorter
// or empty; a free-for-all runs to its end.
compared_run run_compared(const compare_plan& plan, const compared_policy& chosen, const std::optional<tracer>& trace,
                          const std::function<void()>& on_result);

// Errors |predicted - observed| / observed of each observation in percent. The model had learnt all observations before
// it. Those right after a move and the first of a component are left out.
std::vector<double> foresight_errors(const compare_plan& plan, const compared_run& run);

}  // namespace weir::command
