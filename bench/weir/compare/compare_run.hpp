#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/weir/compare/compare_options.hpp"
#include "model/observation.hpp"
#include "runtime/run/report.hpp"

namespace weir::command {

// What one run of a workload gave. Plain data; times in seconds.
struct compared_run {
  std::string name, text;  // of the policy (compared_policy)
  int round = 1;
  double seconds = 0;                     // from the first send to the last result; the checks come afterwards
  std::vector<double> latencies;          // of each result: since the call of send, or since its input was taken
  std::vector<double> results;            // when each came, since the start of the run
  double first_sent = 0;                  // since the start of the run
  std::vector<double> phases;             // when the first record of each further phase was sent
  std::vector<observation> observations;  // of all components, in the order in which models received them
  run_report report;                      // of a free-for-all there is none: no names, no decisions
  std::vector<int> degrees;               // by component, of its model
  std::uint64_t checked = 0, wrong = 0;

  double throughput() const { return static_cast<double>(results.size()) / seconds; }
  int moves() const;
};

// Runs the workload once: one thread sends every input, another reads. The objective says how they are sent: for
// throughput as fast as they are taken; for latency one when the result of the last is out; for latency at a rate at
// random at that rate, and then a latency counts from the moment at which the record was due. Results are checked after
// the clock has stopped, but in between when they hold more than 256 MB. Throws what the run throws, and
// std::runtime_error when a record is missing or came twice. After Ctrl-C no more is sent, but for a free-for-all,
// which runs to its end: then `results` is shorter, and may be empty.
compared_run run_compared(const compare_plan& plan, const compared_policy& chosen,
                          const std::function<void()>& on_result);

// |predicted - observed| / observed of each observation in percent, predicted by a model that had learnt all before it
// and not this one; those right after a move, and the first of a component, are left out.
std::vector<double> foresight_errors(const compare_plan& plan, const compared_run& run);

}  // namespace weir::command
